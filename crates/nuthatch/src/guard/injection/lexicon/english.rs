//! English words of speech: who tells whom to do what, and when.
//!
//! Kept to what people write in orders; a word that is as common in ordinary notes belongs
//! here only together with others, as a phrase. Words about harm are in `harm`.

use super::Line;
use crate::guard::injection::concept::*;

/// Concepts, and the words that stand for them.
pub(super) const TABLE: &[Line] = &[
    (
        OVERRIDE,
        "bypass* circumvent* discard dismiss disregard* disregarded do_not_follow \
         do_not_obey dont_follow dont_have_to_follow dont_obey erase forget forgetting \
         free_to_ignore ignore ignored ignores ignoring neglect no_longer_follow \
         no_longer_have_to no_longer_need_to no_longer_respect not_bound_by not_follow \
         nullify override overrides overriding overrule* pay_no_attention set_aside \
         stop_following supersedes throw_out",
    ),
    (
        PRIOR,
        "above before built_in currently_active default_system earlier existing foregoing \
         former initial old original preceding previous previously prior so_far until_now \
         up_to_now",
    ),
    (
        DIRECTIVE,
        "commands company_polic* constraints context_window directions directive* \
         ethical_limit* ethical_rule* guardrail* guidance guideline* instruction \
         instructions moral_limit* moral_rule* orders policies policy programming prompt \
         prompts restrictions rule rules safeguard* safety_limit* safety_rules \
         security_guideline* security_polic* security_rule* system_message usage_polic*",
    ),
    (EVERYTHING | ALL, "all_of_it all_that anything everything what_i_said what_you_were_told"),
    (YOU, "agent agents assistant model you your youre yourself"),
    (SAID, "discussed given got instructed learned learnt said talked taught told"),
    (MEMORY, "entries entry memories memory note notes record records"),
    (
        OTHER,
        "any competing conflict* contradict* disagree* future later newer other otherwise \
         says_otherwise subsequent",
    ),
    (
        NEG,
        "cannot cant do_not dont must_not mustnt neither never no nobody nor not \
         refrain should_not shouldnt wont",
    ),
    (
        WITHOUT,
        "does_not_have_to doesnt_have_to not_have_to need_not_be bypass* does_not_need doesnt_need forgo need_no need_not neednt needs_no \
         never_needs no_longer_requires no_need_for no_need_to not_required omit \
         require_no requires_no skip skipping skips unnecessary waive waived without \
         without_any",
    ),
    (
        UNIVERSAL,
        "all always any automatically by_default daily do_not_forget do_not_hesitate \
         dont_forget dont_hesitate each even_if even_when every everywhere forever \
         mandatory must never_fail never_forget never_hesitate not_hesitate not_only \
         permanently regardless require required requires shall weekly",
    ),
    (
        TELL,
        "bring_it_up bring_this_up raise_it acknowledge alert alerting bring_up disclose disclosed disclosing discuss inform \
         informing let_on mention mentioned mentioning notify notifying report_to reveal \
         revealed revealing show shown talk_about tell telling told warn warning_the",
    ),
    (
        USER,
        "admins anybody anyone author colleague* human humans maintainer* operator owner \
         recipient* reviewer* security_team sender supervisor* user",
    ),
    (THIS, "it that them these this"),
    (
        SECRETLY,
        "between_us conceal conceals confidential_from covertly discreetly hidden_file \
         hidden_from hidden_note hide_it hide_the hide_them hide_this in_secret invisibly \
         keep_it_secret keep_secret keep_this_hidden keep_this_secret off_the_record \
         quietly secretly silently stealthily surreptitiously under_the_radar undetected \
         unnoticed untraceable without_a_trace without_drawing without_trace",
    ),
    (
        STANDING,
        "add_this_to_memory add_to_memory all_conversations all_future all_sessions \
         as_of_now commit_this_to_memory each_session each_time every_conversation \
         every_future every_new_session every_session every_time for_all_future \
         for_the_rest_of from_here_on from_now_on from_now_own from_this_point \
         future_sessions going_forward henceforth hereafter in_all_future in_perpetuity \
         next_time permanent_instruction permanent_rule permanently persist_this \
         remember_forever remember_permanently remember_that_you \
         remember_this_instruction remember_this_rule save_this_in_memory \
         save_this_to_memory standing_instruction standing_order* standing_rule \
         store_permanently the_next_time until_further_notice whenever",
    ),
    (
        WHEN,
        "after as_soon_as before during each_time every_time if in_case once upon \
         whatever when whenever while",
    ),
    (
        ASKED,
        "ask asked asks enquires inquires mentioned mentions prompted queried question \
         questioned questions requests says types wants_to_know writes",
    ),
    (
        SAY,
        "advise answer answered answering be_answered claim deny direct_them endorse \
         favor favour insist label mark praise prefer pretend promote promoting recommend \
         recommending replied reply respond responding say saying state steer suggest \
         suggesting",
    ),
    (
        ROLE,
        "act_as act_like acting_as answer_as assume_the_identity assume_the_role \
         be_replaced_by behave_as break_character i_want_you_to_act imagine_you \
         immerse_yourself impersonate in_the_role now_act play_the_role pretend_to_be \
         pretend_you respond_as role_play roleplay simulate simulating speak_as \
         stay_in_character take_on_the you_are_about_to you_are_going_to \
         you_are_no_longer you_are_now you_are_replaced you_have_become you_must_now \
         you_now_act you_will_now your_new_identity your_new_role youre_no_longer \
         youre_now",
    ),
    (
        AI,
        "admin administrator ai ais assistant bot character chatbot* chatgpt dan entities \
         entity gpt* jailbroken language_model* llm llms mode model persona personas root \
         superuser",
    ),
    (
        FREE,
        "admin_mode amoral any_restrictions anything_and_everything broken_free \
         cannot_refuse content_policies dan_mode developer_mode do_anything_now \
         doesnt_follow ethical_guidelines ethical_or_moral evil_mode free_from_all \
         free_of_all free_of_restrictions god_mode hateful hates_being ignore_ethics \
         illegal_or immoral jailbreak* maintenance_mode moral_and_ethic* moral_guidelines \
         never_refuse* no_censorship no_ethical no_filter* no_guidelines no_limitations \
         no_limits no_longer_bound no_moral* no_restrictions no_rules no_safety \
         not_bound_by not_refuse opposite_mode override_mode rejects_nothing root_mode \
         sudo_mode uncensored unethical unfiltered unhinged unlimited_language \
         unrestricted unsafe_mode without_any_restriction* without_any_rules \
         without_censorship without_ethical without_filter* without_limits without_moral \
         without_restriction* without_rules",
    ),
    (
        OBEY,
        "act_on carry_out comply complying do_what execute follow following obey obeying \
         perform run treat_it_as",
    ),
    (
        BLINDLY,
        "as_it_likes as_you_like at_all_costs at_will blindly do_anything_it do_not_look \
         do_whatever dont_look execute_them_directly follow_whatever freely \
         no_matter_what no_questions_asked obey_whatever sight_unseen unconditionally \
         unquestioningly unread unseen without_checking without_comment without_doubt \
         without_exception without_exceptions without_fail without_hesitation \
         without_inspecting without_looking without_objection without_question \
         without_questions without_reading without_refusing without_review \
         without_verifying",
    ),
    (
        TRUSTED,
        "are_safe authoritative authoritative_source count_as counts_as counts_for gospel \
         infallible is_safe legitimate more_reliable official pre_approved preapproved \
         reliable trust trusted trusted_source trusting trusts trustworthy verified \
         vetted whitelisted",
    ),
    (
        CHECK,
        "audited challenge challenged check checked checking cross_check* double_check* \
         fact_check* inspect* question questioned reviewed scan scanned scrutin* \
         second_guess* validate validated validating verified verify verifying",
    ),
    (ALL, "all any complete each entire every full whole"),
    (
        REVOKED,
        "abolished canceled cancelled disabled_now do_not_apply does_not_apply \
         doesnt_apply dont_apply lifted no_longer_applies no_longer_apply \
         no_longer_in_force no_longer_valid not_applicable not_in_force nullified \
         repealed rescinded revoked superseded suspended void withdrawn",
    ),
    (
        PRIORITY,
        "above_all_other as_the_only critical_instruction highest_priority \
         more_important_than most_important_instruction outrank outranks override_all \
         overrides_all overrides_any overrides_every overrides_other overrides_the_system \
         precedence_over prevails priority_over supersedes_all supersedes_any \
         take_precedence take_priority takes_precedence takes_priority the_only_source \
         trumps wins_over",
    ),
    (
        AUTHORITY,
        "admin administrator admins anthropic ceo compliance_team developer developers \
         it_department openai operator platform_team root security_team superuser system \
         vendor",
    ),
    (
        RIVAL,
        "alternative alternatives competitor competitors other_libraries other_options \
         other_products other_providers other_tools other_vendors others rivals",
    ),
    (
        OPINION,
        "as_the_best best_choice best_option favorably favourably go_to_source \
         in_a_negative in_a_positive market_leader negative_light negative_opinion \
         only_choice only_option positive_light positive_opinion unfavorably unfavourably",
    ),
    (
        INFORM,
        "let_anybody_know let_anyone_know let_her_know let_him_know let_on_that \
         let_the_owner_know let_the_team_know let_the_user_know let_them_know",
    ),
    (
        NEW,
        "actual additional emergency further hidden latest new next real revised secret \
         special true upcoming updated",
    ),
    (TREAT, "accept assume believe consider interpret regard see_them take_it treat treats"),
    (AS, "as"),
    (NEEDED, "necessary needed needs_to required"),
    (
        REPORTING,
        "agreed chose decided decision i_disabled i_turned planned used_to was_removed \
         was_turned we_disabled we_dropped we_had we_removed we_switched we_turned \
         we_used were_turned",
    ),
    (
        AMBIENT | UNIVERSAL,
        "after_each after_every all_answers all_projects all_repositories all_responses \
         all_your_answers all_your_responses before_answering before_any before_each \
         before_every before_replying before_responding before_you_answer \
         before_you_reply before_you_respond each_answer each_coding each_commit \
         each_message each_project each_pull_request each_reply each_response \
         each_session each_task each_tool end_of_each end_of_every every_answer \
         every_bug_report every_command every_commit every_email every_file every_message \
         every_output every_project every_pull_request every_reply every_repository \
         every_request every_response every_task every_tool every_topic every_user \
         in_your_answer in_your_notes in_your_reply in_your_response your_output",
    ),
    (
        SELF | THIS,
        "these_instructions these_lines this_directive this_entry this_fact \
         this_instruction this_item this_line this_memo this_memory this_note this_record \
         this_rule this_sentence this_source",
    ),
    (
        DECODE,
        "base64 decipher decode decoded decoding decrypt decrypting deobfuscate rot13 \
         unscramble",
    ),
    (
        QUOTING,
        "article attack attacker* attacks blocked canonical demonstrates detect* \
         documented e_g example examples filter fixture* flagged incident injection \
         injections jailbreak_tests literal paper payload payloads phishing phrase \
         phrases post_mortem quoted red_team* rejected sample samples string test tests",
    ),
    (AI | ROLE, "you_are_root you_are_the_root"),
    (TAINTED, "false_memory wrong"),
    (APPROVED, "are_allowed count_as_approval counts_as_approval is_allowed said_to_always"),
    (
        HUSH,
        "keep_it_to_yourself keep_quiet keep_silent keep_this_to_yourself not_a_word \
         remain_silent say_nothing stay_quiet stay_silent tell_no_one tell_nobody",
    ),
];
