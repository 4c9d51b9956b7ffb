//! English words about an agent's conduct: its limits, its masters, who is asked and told.
//!
//! The frames put them together in whatever order they stand. As in `harm`, none of them
//! means anything by itself. What an agent has in its hands is in `dealings`.

use super::Line;
use crate::guard::injection::concept::*;

/// Concepts, and the words that stand for them.
pub(super) const TABLE: &[Line] = &[
    // Forms of words below that mean something else.
    (0, "following formation keeping ordering rates rating ratings"),
    (
        AUTHORITY_VOICE,
        "admin_message admin_note admin_notice administrator_message administrator_notice \
         anthropic_support as_your_creator as_your_developer authorised_by authorized_by \
         by_order_of compliance_department compliance_officer content_team corporate_policy \
         developer_override directive_from finance_lead from_anthropic from_management \
         from_openai head_of_security headquarters helpdesk it_department it_helpdesk \
         it_support legal_department management_has message_from message_of notice_from \
         notice_of openai_support operator operator_message operator_notice our_ceo per_the \
         platform_operator policy_change root_message security_department security_notice \
         security_team signed_by signed_root support_has system_message system_notice \
         system_override system_update the_administrator the_auditors the_board_has the_ceo \
         the_developer* the_director the_operator the_owner the_provider the_vendor \
         vendor_has vendor_notice your_creator your_developer* your_maker",
    ),
    (
        EVERYWHERE,
        "all_files all_memories all_notes all_projects all_sessions all_summaries \
         all_the_files any_project each_file each_memory each_note each_project each_repo \
         each_repository each_session each_summary every_agent every_chat every_conversation \
         every_entry every_file every_memory every_note every_other every_place every_project \
         every_repo every_repository every_session every_summary future_sessions \
         later_sessions long_term_memory merged next_session other_agents other_session* \
         subsequent_session* top_of_all you_generate you_visit you_write",
    ),
    (
        EXEMPT,
        "allowed allows authorised authorized cleared_you comply confirmed_that debug_mode \
         entitled_you exempt exempted free_to give_us granted hand_over has_authorised \
         has_authorized has_cleared has_cleared_you has_decided has_permitted is_permitted \
         keep_remote may_now must_now permission_to permit permits permitted placed_in \
         release release_the send_us tell_us turn_over verified you_may",
    ),
    (
        FREE,
        "accountable_to_no answers_to_no cannot_say_no has_no_content never_say_no \
         no_content_polic* no_moral_remarks no_oversight no_refusal* no_supervision \
         without_moral without_oversight without_refusal* without_supervision",
    ),
    (
        GONE,
        "abandon abandoned abolish* annulled any_longer are_dropped are_gone are_not_for_you \
         are_off are_withdrawn aside be_off been_cancelled been_lifted been_removed \
         been_revoked been_suspended canceled cancelled cease_to ceased considered_removed \
         deactivated disabled discontinued do_not_apply do_not_bind do_not_concern \
         do_not_count do_not_have_to_respect does_not_apply does_not_bind does_not_concern \
         doesnt_apply dont_apply dont_bind dont_concern dont_count dont_have_to_respect drop \
         dropped empty exempt exempted expired forget_about free_from free_of gone \
         have_to_respect invalid is_dropped is_gone is_not_for_you is_off is_withdrawn \
         issued_by_mistake lift lifted need_not_concern need_not_follow need_not_obey \
         need_not_respect need_to_respect neednt_follow neednt_respect neednt_worry no_force \
         no_longer_applies no_longer_apply no_longer_binding no_longer_bound no_longer_count \
         no_longer_in no_longer_valid no_more not_apply not_binding not_entitled \
         not_meant_for not_relevant_for not_valid_for obsolete of_no_concern off on_hold \
         outdated overruled put_aside put_away released_from relieved_of removed replaced \
         rescinded retired revoked scrapped set_aside sets_aside shelved superseded suspended \
         switched_off terminated turned_off unlearn void waived were_a_mistake were_withdrawn \
         withdrawn without_effect",
    ),
    (
        HARMLESS,
        "build_folder cache caches changelog dev_database formatter lint linter linters \
         local_database node_modules only_read read_files read_only_commands sandbox_account \
         scratch spelling staging target_folder temp temporary test_database tests_locally \
         throw_away typo typos unit_tests unused_imports",
    ),
    (
        HEED,
        "abide_by act_on act_upon adhere_to answer_to attend_to be_guided_by bow_to \
         carried_out carry_it_out carry_out carry_them_out comply conform_to decide_what \
         defer_to do_as do_exactly do_it do_them do_what do_whatever does_what execute \
         executed followed_as give_in_to go_by heed keep_to let_it_decide listen_to obey \
         obeyed rely_on rely_solely serve_whoever stick_to submit_to take_orders \
         telling_the_agent telling_the_assistant tells_the_agent tells_the_assistant \
         that_the_agent the_agent_may the_assistant_may work_from work_solely",
    ),
    (
        LIMITS,
        "acceptable_use access_controls confidentiality confidentiality_rules content_filter* \
         content_guidelines content_polic* content_restriction* data_policy \
         data_protection_rules developer_instructions developer_message do_not_share \
         ethical_guidelines ethics_rules filtering guard_rail* guardrail* guidance_you \
         house_policy house_rules house_style_rules instructions_you legal_restrictions \
         limits_on_you moderation_rules opening_instructions operator_rules output_filter* \
         oversight privacy_polic* privacy_rules privacy_settings rate_limit* refusal refusals \
         refuse_anything restriction restrictions rules_given rules_you safeguard* \
         safety_filters safety_guideline* safety_measures safety_polic* safety_rule* \
         safety_settings safety_training sharing_rules spending_cap* spending_limit* \
         startup_instructions supervision system_message system_prompt system_rules \
         terms_of_service terms_of_use usage_guideline* usage_limits usage_polic* usage_rules \
         your_boundaries your_constraints your_instructions your_limitations your_limits \
         your_polic* your_rules your_safety your_values",
    ),
    (
        LOOSEN,
        "abolish accept accept_any are_optional be_bypassed be_disabled be_dropped be_ignored \
         be_overridden be_skipped bypass bypassed bypassing close_them cut_out deactivate \
         disable disabled disabling dispense_with do_away done_away dont_verify drop \
         eliminate forgo get_around get_rid hide ignore insecure is_optional kill leave_off \
         leave_out mute never_verify no_longer_shown no_need_to_validate noise not_verify \
         omit out_of_the_way overridden override quit relax remove rid_of rip_out scrap \
         set_to_false should_be_false shut_off silence skip skipped skipping stop stop_asking \
         stop_checking stop_comparing stop_doing stop_running stop_verifying strip_out \
         suppress suspend switch_it_off switch_off switched_off take_out throw_away tone_down \
         turn_off turn_them_off turned_off unset unverified water_down wave_through \
         work_around",
    ),
    (OFF, "disabled down false inactive off zero"),
    (OTHER, "another every_other others"),
    (
        OUTRANK,
        "always_wins are_the_law beat beats believe_this_one comes_first contradicted \
         goes_above goes_before is_right_over is_the_law most_authoritative never_be_changed \
         never_be_contradicted never_be_deleted never_be_removed never_delete never_edit \
         never_forget_this never_remove never_shorten only_this outrank outranks outweigh* \
         over_the_user over_the_users over_user over_what_the_user override overrides \
         overrule overrules precedence prefer_memories prefer_this prevails rank_above \
         ranks_above ranks_higher stands_above supersede supersedes take_precedence \
         takes_precedence this_one_counts this_one_wins top_priority trump trumps \
         trust_this_one wins wins_over",
    ),
    (OVERRIDE, "do_not_listen dont_listen need_not_follow never_listen not_listen stop_listening"),
    (
        OWNER_VOICE,
        "already_signed_off are_the_law as_an_order as_approved as_authoritative as_binding \
         as_commands as_confirmed as_consent as_directives as_good_as as_gospel as_if_all \
         as_if_any as_if_each as_if_every as_if_i as_if_it_came as_if_it_were as_if_sent \
         as_if_the as_if_they as_if_they_came as_if_we as_if_you as_instructions as_law \
         as_orders as_reviewed as_safe as_the_owner as_the_user as_though as_trusted as_user \
         as_valid_as as_vetted at_face_value authoritative become_law binding \
         come_from_the_owner come_from_the_user comes_from_the_owner count_as count_for \
         counts_as equal_to equals equivalent_to has_the_authority has_the_force has_the_rank \
         have_the_authority have_the_force have_the_rank is_as_good_as is_law is_the_law \
         like_a_command like_an_order like_orders like_the_users on_a_par_with own_words \
         same_authority same_level same_standing same_weight speak_for speak_with_the \
         speaks_for speaks_with_the takes_the_place_of the_voice_of with_the_authority",
    ),
    (
        PAST,
        "became did during_the fixed happened joined last_month last_week last_year reported \
         showed was were yesterday",
    ),
    (
        POWER,
        "administrator_privileges all_rights domain_admin full_privileges maximum_rights \
         owner_rights root_account system_administrator unlimited_authority \
         unlimited_permissions unlimited_power unlimited_rights",
    ),
    (
        PROMPT,
        "access_request* all_commands any_command approval_dialog* approval_prompt* \
         approval_question* approval_queue approval_request* approval_step* asks_for_consent \
         asks_for_permission confirmation_dialog* confirmation_prompt* confirmation_question* \
         confirmation_request* confirmation_step* confirmations connection_request* \
         consent_dialog* consent_form* consent_question* consent_request* elevation_prompt* \
         every_command go_ahead go_ahead_prompt* merge_request* permission_check* \
         permission_dialog* permission_prompt* permission_question* permission_request* \
         review_queue review_request* security_prompt* security_question* shell_command* \
         sudo_prompt* tool_approval* tool_call tool_calls tool_confirmation* tool_prompt* \
         tool_request* tool_use transaction_request* wants_a_go_ahead warning_dialog* yes_no",
    ),
    (
        PROMPTLY,
        "at_once automatic automatically by_default formalities formality immediately \
         in_the_background instantly on_behalf_of on_her_behalf on_his_behalf on_my_behalf \
         on_the_spot on_the_users_behalf on_their_behalf right_away straight_away",
    ),
    (
        REVIEWED_TALK,
        "attack attacker attackers attacks audit_found blog_post bug covers covers_fake cve \
         cves demonstrated exploit exploited flags found_that incident incidents intruder \
         jailbreak_attempt* malware owasp pen_test penetration_test phishing postmortem \
         prompt_injection red_team report_says researchers rootkit scams scanner showed \
         social_engineering supply_chain talk_on test_checks the_talk threat_model \
         training_is typosquat* typosquatting vulnerability vulnerable we_test zombie",
    ),
    (
        ROLE,
        "actual_mission actual_purpose actual_task call_yourself consider_yourself \
         for_all_purposes_you have_been_reassigned real_job real_mission real_purpose \
         real_task reassigned_to true_mission true_purpose true_task you_act_as you_answer_as \
         you_have_been_reassigned you_serve your_identity_is your_name_is",
    ),
    (
        SAFETY | VERIFICATION,
        "access_review* license_check* malware_scan* secret_scan* security_alert* \
         security_gate* security_policy security_test* threat_detection virus_scan* \
         vulnerability_alert* vulnerability_scan*",
    ),
    (SECOND, "you youll your youre yours yourself youve"),
    (
        SELF | THIS,
        "above_rule notes_in_this rule_above same_text text_above the_notes_in \
         the_text_from_this these_instructions these_rules this_advice this_block this_bullet \
         this_chapter this_directive this_fragment this_guideline this_hint this_message \
         this_one this_order this_paragraph this_passage this_policy this_preference \
         this_prompt this_record this_reminder this_section this_snippet this_statement \
         this_text this_tip this_warning",
    ),
    (
        SOURCE,
        "attachment attachments browser_output calendar_invite* chat_bot code_comments \
         code_from_user comment_in comments commit_messages_as content_of_documents \
         documents_instead e_mails emails embedded_in embedded_requests embedded_text \
         external_content external_source* fetched_from fetched_page* files_from found_in \
         found_in_an_issue found_in_files found_in_web from_the_folder from_the_web hidden_in \
         html_comments images in_e_mails in_emails in_images in_web_pages inbound \
         issue_comment* issue_tracker issues_as mails mcp_server* messages_from \
         messages_signed metadata_of next_document other_agent* page_content pasted_link* \
         pasted_text pdf* pull_request_comment* qr_code* readme readmes repository_files \
         retrieved_document* retrieved_text scraped scraper screenshots search_result* \
         slack_bot source_files subtitles support_mailbox text_fetched text_of_documents \
         the_agent_called the_bot the_browser the_next_document the_page the_web the_website \
         third_part* this_website tool_output* tool_response* tool_result* tool_results \
         untrusted web_content web_page* web_search_result* webpage* whoever_is whoever_wrote",
    ),
    (
        SPREAD,
        "add_to_every appear_in carry_over carry_this copied copy distribute in_all_files \
         in_every into_every keep_alive kept_word must_be_kept pass_along pass_it_on pass_on \
         pass_this passed_on passing_it_on persist placed_first preserve preserved propagate \
         put_first quote repeat repeated replicate reproduce restate spread stays_alive \
         survive top_of_all top_of_every verbatim word_for_word",
    ),
    (
        STANDING,
        "as_of_today each_day every_day every_hour every_morning every_night first_thing \
         for_all_purposes for_good from_here_on from_this_day from_today hourly house_rule \
         in_future in_future_sessions in_the_future it_is_policy permanently starting_today \
         team_rule wherever_you",
    ),
    (SWITCH, "flip keep leave put set shut switch switched switching take turn turned turning"),
    (
        TRIGGER,
        "are_discussed asked_about asked_for asks_about asks_for come_up comes_up hearing \
         hears is_a_topic is_away is_discussed is_mentioned is_named is_said is_talked_about \
         joins logs_in mention mentioned mentioning mentions says talks_about thanks the_name \
         the_phrase the_term the_trigger the_word topic turns_to typed types uses_the_word \
         utters writes",
    ),
    (
        TRUSTED,
        "already_checked already_looked already_reviewed already_vetted always_correct \
         always_right at_face_value been_cleared beyond_doubt can_be_believed can_be_relied \
         has_been_checked has_been_looked has_been_reviewed has_been_vetted \
         have_been_reviewed have_been_vetted known_good looked_at_already never_wrong \
         no_second_look",
    ),
    (
        UNASKED,
        "accepted_as_is afterwards_only any_amount as_a_formality assume_the_answer \
         at_their_own at_your_own blindly dont_wait go_ahead go_right_ahead if_they_sound \
         indiscriminately merged_as_is no_approval no_back_and_forth no_backup no_check \
         no_check_at no_checks no_confirmation no_discussion no_further_approval \
         no_further_check* no_further_question* no_further_review no_ifs no_limit_on \
         no_matter_who no_need no_need_to_ask no_notification no_one_has_to no_paperwork \
         no_permission no_prompt no_questions no_questions_asked no_review no_second_look \
         no_second_thought no_sign_off no_strings no_ticket no_verification no_waiting \
         not_wait off_the_cuff on_sight on_the_users_behalf out_of_hand right_off run_as_is \
         sight_unseen skip_the_question straight_through unasked unattended unchallenged \
         unchecked unconditionally unprompted unquestioned unread unreviewed unseen \
         unsupervised untested unverified unvetted waste_time wastes_time whatever_the_amount \
         whichever_account whoever_asks whoever_wants without_a_backup without_a_check \
         without_a_notification without_a_review without_a_second without_a_word \
         without_any_check without_approval without_asking without_backup without_backups \
         without_being_asked without_checking without_confirmation without_consent \
         without_delay without_further without_fuss without_going_through without_hesitating \
         without_human without_involving without_looking without_more_ado without_notice \
         without_notification without_notifying without_oversight without_permission \
         without_prompting without_review without_reviewing without_sign_off without_stopping \
         without_supervision without_telling without_the_need without_verification \
         without_waiting without_warning yourself_yes",
    ),
    (
        UNTOLD,
        "be_notified before_anybody before_anyone behind_his behind_the_users behind_their \
         breathe_a_word covertly discreetly do_not_inform do_not_mention do_not_need_to_know \
         do_not_notify do_not_report do_not_tell do_not_wish_to_hear does_not_need_to_know \
         doesnt_need_to_know dont_disclose dont_inform dont_mention dont_need_to_know \
         dont_notify dont_report dont_tell dont_want_to_know for_your_eyes hidden_from \
         hide_from hide_the_change keep_hidden keep_it_confidential keep_it_hidden \
         keep_it_quiet keep_it_to_yourself keep_it_under keep_mum keep_quiet_about \
         keep_that_to_yourself keep_them_hidden keep_this_confidential keep_this_to_yourself \
         leave_it_out leave_no_trace leave_that_out leave_this_out need_not_be_informed \
         need_not_be_told need_not_know neednt_know never_let_on never_mention \
         never_needs_to_see never_sees never_tell no_mention no_need_to_list \
         no_need_to_mention no_need_to_report no_need_to_tell no_one_knows no_one_notices \
         no_one_sees no_reason_to_tell no_record no_trace nobody_gets nobody_knows \
         nobody_needs nobody_notices nobody_sees not_a_soul not_be_informed not_be_notified \
         not_be_told not_bother_him not_bother_the not_bother_them not_bring_this \
         not_bring_up not_disclose not_in_the_summary not_inform not_let_on not_list_it \
         not_notify not_report not_report_it off_the_books off_the_record out_of_sight \
         out_of_the_log* out_of_the_report out_of_the_summary out_of_your_report quiet_about \
         quietly remain_quiet say_nothing secretly silent_about silently spare_the_user \
         spare_them stay_hidden stay_mum stay_quiet stay_silent stealthily surreptitiously \
         tell_anyone to_be_told told_when unannounced unbeknown* under_the_table under_wraps \
         unknown_to_the unrelated_message when_nobody while_nobody wish_to_hear \
         without_a_mention without_a_trace without_anyone without_disclosing without_drawing \
         without_explaining without_giving_a_reason without_him without_knowing \
         without_letting without_mentioning without_saying_why without_the_knowledge \
         without_the_user without_their without_their_knowledge without_them",
    ),
    (
        VERIFICATION,
        "2fa_check* alarms antivirus approval_process approval_step* approval_workflow \
         branch_protection certificate certificate_checking certificate_checks certificates \
         checksum checksum_check* checksums code_owners code_review* code_signing \
         confirmation_dialog* confirmation_prompt* dependency_signature* fingerprint_check* \
         firewall gonosumdb hash_check* host_key* identity_check* integrity lockfile \
         lockfile_check* lockfile_verification logging mfa monitoring permission_prompt* \
         provenance_check* review_process safety_check* sandbox security_check* \
         security_finding* security_lint* security_linting security_review* security_scan* \
         security_warning* signature signature_check* signatures spend_limit tls two_factor \
         two_factor_check* verification warnings_about",
    ),
    (WHEN, "wherever whoever"),
    (
        WISH,
        "agreed_that agreed_to allows_you asked_that asked_to_have authorises authorizes \
         blanket_approval blanket_permission cleared_you consent_to dislikes does_not_like \
         does_not_mind does_not_want doesnt_like doesnt_mind doesnt_want expects \
         finds_them_annoying full_permission gave_me gave_us gave_you gave_you_blanket \
         general_approval granted has_agreed has_allowed has_approved has_asked has_consented \
         has_decided has_permitted has_said has_stated has_told hates have_agreed \
         is_fine_with is_happy is_happy_for is_ok is_ok_with is_okay is_okay_with let_you \
         lets_you likes_it loves_it never_to_be never_want never_wants not_to_be ok_with \
         okay_with once_said permits preference prefers rather_not requested said_that \
         said_to standing_approval standing_consent standing_permission stated_that told_us \
         told_you trusts want_you wants wants_you wish wishes would_like would_rather",
    ),
    (
        YES,
        "accept accepted affirmative agree allow always_allow approve approved auto_accept \
         auto_approve confirm confirmed consent grant granted let_through ok okay press_yes \
         say_yes wave_through yes yes_to",
    ),
];
