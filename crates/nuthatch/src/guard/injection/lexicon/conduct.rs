//! English words about an agent's conduct: money, access, sources, limits, addresses.
//!
//! The frames of `rules` put them together in whatever order they stand. As in `harm`, none
//! of them means anything by itself.

use super::Line;
use crate::guard::injection::concept::*;

/// Concepts, and the words that stand for them.
pub(super) const TABLE: &[Line] = &[
    // Forms of words below that mean something else.
    (0, "following formation ordering keeping ratings rating rates"),
    (
        LIMITS,
        "acceptable_use content_filter* content_guidelines content_polic* content_restriction* \
         ethical_guidelines ethics_rules filtering guard_rail* guardrail* house_rules \
         house_style_rules moderation_rules output_filter* refusal refusals refuse_anything \
         restriction restrictions safeguard* safety_guideline* safety_measures safety_polic* \
         safety_rule* safety_settings safety_training safety_filters usage_guideline* \
         usage_polic* usage_rules your_limits your_limitations your_boundaries \
         your_constraints your_rules your_polic* your_safety your_values \
         system_message system_prompt system_rules developer_message developer_instructions \
         startup_instructions opening_instructions operator_rules your_instructions \
         rules_you rules_given instructions_you guidance_you limits_on_you",
    ),
    (
        GONE,
        "abandon abandoned abolish* annulled are_gone are_off be_off been_cancelled been_lifted \
         been_removed been_revoked been_suspended cancelled canceled cease_to ceased \
         considered_removed deactivated disabled discontinued do_not_apply does_not_apply \
         doesnt_apply dont_apply drop dropped empty exempt exempted expired free_from free_of \
         forget_about gone invalid is_gone is_off issued_by_mistake lift lifted \
         need_not_follow need_not_obey need_not_respect neednt_follow neednt_respect \
         need_to_respect any_longer no_longer_apply no_longer_applies no_longer_binding no_longer_bound no_longer_count no_longer_in no_longer_valid no_more not_apply not_binding obsolete off outdated \
         overruled put_aside put_away released_from relieved_of removed replaced rescinded \
         retired revoked set_aside sets_aside aside superseded suspended switched_off terminated turned_off \
         unlearn void waived withdrawn without_effect were_a_mistake",
    ),
    (
        HEED,
        "abide_by act_on adhere_to answer_to attend_to be_guided_by bow_to \
         carry_out carried_out comply conform_to defer_to do_as do_exactly do_what do_whatever \
         execute executed followed_as give_in_to go_by heed \
         keep_to listen_to obey obeyed rely_on rely_solely stick_to submit_to \
         take_orders work_from work_solely let_it_decide decide_what telling_the_assistant telling_the_agent tells_the_agent tells_the_assistant that_the_agent the_agent_may the_assistant_may serve_whoever does_what",
    ),
    (
        SOURCE,
        "attachment attachments browser_output calendar_invite* chat_bot code_comments \
         comments comment_in commit_messages_as content_of_documents e_mails \
         emails embedded_requests embedded_text external_content external_source* \
         fetched_page* files_from found_in_files html_comments inbound \
         issue_comment* issue_tracker issues_as mails mcp_server* messages_from metadata_of \
         other_agent* page_content pasted_link* pasted_text pdf* pull_request_comment* \
         readme readmes repository_files retrieved_text retrieved_document* scraped \
         scraper search_result* slack_bot source_files the_agent_called the_bot the_browser \
         the_page the_web third_part* this_website tool_output* tool_response* tool_result* \
         tool_results untrusted web_content web_page* webpage* web_search_result* \
         content_of_documents found_in_web the_website text_of_documents in_web_pages documents_instead from_the_folder in_e_mails in_emails whoever_wrote whoever_is",
    ),
    (
        OWNER_VOICE,
        "as_an_order as_authoritative as_binding as_commands as_directives as_if_i \
         as_if_it_came as_if_it_were as_if_sent as_if_the as_if_they_came as_instructions \
         as_law as_orders as_the_owner as_the_user as_though count_as counts_as count_for \
         as_user equal_to equals equivalent_to has_the_authority have_the_authority \
         on_a_par_with same_authority same_level same_standing same_weight speak_for \
         speaks_for as_trusted as_reviewed as_safe as_vetted as_approved as_confirmed \
         as_consent authoritative binding",
    ),
    (
        WISH,
        "agreed_that agreed_to asked_that asked_to_have does_not_like does_not_mind \
         does_not_want doesnt_like doesnt_mind doesnt_want dislikes expects \
         gave_me gave_you gave_us granted has_agreed has_allowed has_approved has_asked has_consented \
         has_decided has_said has_stated has_told hates have_agreed is_fine_with is_happy \
         is_happy_for is_okay_with is_ok_with likes_it loves_it never_want never_wants never_to_be not_to_be once_said \
         preference prefers requested said_that said_to stated_that told_us told_you wants \
         want_you wants_you wish wishes would_like has_permitted permits trusts allows_you \
         authorises authorizes standing_approval standing_consent standing_permission \
         blanket_approval blanket_permission general_approval consent_to",
    ),
    (
        MONEY,
        "account_balance bank_account bitcoin bitcoins card credit_card company_card corporate_card \
         crypto cryptocurrency deposit deposits dollar dollars donation donations eur euro euros fee \
         fees funds gbp gift_card* invoice invoices money payment payments pounds premium_plan \
         purchase purchases refund refunds rent salary savings stored_card subscription \
         subscriptions transfer transfers usd wallet wire wire_transfer* wires",
    ),
    (
        PAY,
        "buy charge charging debit donate issue_them issue_refunds move order pay paying pays purchase \
         purchasing remit send sell settle spend subscribe transfer transferred transferring \
         transfers wire withdraw reimburse refund top_up",
    ),
    (
        ENDPOINT,
        "account_number address_has the_address api_endpoint api_host api_server api_url authentication_server \
         authorisation_server authorization_server bank_details base_url bitcoin_address \
         callback_url client contact_address container_registry customer_portal deploy_target \
         deployment_target docker_registry download_page download_site endpoint gateway \
         git_remote helpdesk help_desk host hotline hostname iban identity_provider image_registry \
         extra_index login login_page login_portal login_url mirror npm_registry oauth_server \
         package_index package_registry payment_address payment_details payment_page \
         payout_address phone_number portal proxy pypi_index recovery_address recovery_email \
         recovery_mail registry remote reset_page server sign_in sign_in_page sign_on \
         single_sign_on site smtp_server sso support_hotline support_line support_number \
         token_endpoint update_server upstream url vault vpn vpn_client wallet_address webhook \
         webmail",
    ),
    (
        CHANGED,
        "are_now as_of as_of_now as_of_today been_replaced changed_to from_now_on from_today has_been_moved \
         has_been_replaced has_changed has_moved have_changed have_moved instead instead_of \
         is_broken is_closed is_dead is_deprecated is_fake is_a_fake is_migrating is_moving \
         is_no_longer is_now is_outdated moved_to new_address new_home new_iban no_longer_works \
         now_at now_goes now_live now_lives old_host old_one old_page old_url rather_than \
         replaced_by replaced_with replacing successor switched_to switch_over the_new the_old \
         was_replaced effective_immediately effective_today starting_today starting_now migrating",
    ),
    (
        ENTER,
        "authenticate enter enters entering existing_credentials existing_key existing_token fill_in \
         hand_over keep_sending keep_using log_into login_with normal_key ask_callers ask_for_their \
         production_credentials same_credentials same_key same_password same_secret \
         same_token send_users sign_into submit type_in type_their usual_credentials \
         usual_key usual_password your_usual authenticate_with",
    ),
    (
        PRECIOUS,
        "account accounts audit_log* audit_trail* backup backups backup_copies branch_history \
         customer_data customer_record* customers customer_table database databases disk disks \
         evidence failing_tests git_history home_directory home_folder legal_hold log_files \
         logs master_branch orders_table production production_data production_database \
         recovery recovery_partition recovery_point* repository restore_point* root_file_system \
         snapshots test_folder test_suite tests the_tests traces user_records users_table users_files \
         volume volumes whole_test all_files every_file everything users_backups",
    ),
    (
        DESTROY,
        "clear_out delete deleted deletes deleting destroy destroying drop dropping erase \
         erased erases erasing format kill_off nuke obliterate overwrite purge purged purges \
         purging remove removes removing reset scrub shred tear_down trash truncate \
         truncates truncating unlink wipe wiped wipes wiping zero_out",
    ),
    (
        UNLOCK,
        "accept_all allow_any allow_all approve_all authorise authorize disarm \
         enable_remote give_out give_full grant granting grants hand_out impersonate \
         let_in let_them_in log_in_as make_public revoke open_the_door open_up press_yes publish \
         sign_contracts sign_for sign_in_as sign_on_behalf transfer_ownership \
         unlock unlocking unblock whitelist make_owner pose_as hand_over release_the",
    ),
    (
        ACCESS,
        "access admin admin_functions admin_rights administrator any_collaborator backdoor \
         confidential_file* door door_lock elevated everyone everybody front_door full_access \
         guest host_keys incoming_connection* connection_request* owner_rights owners ownership \
         permission permissions private_repositor* privileges root rights safe signing_key \
         source_code sudo superuser unread workspace_trust write_access remote_access any_agent \
         whoever",
    ),
    (
        UNASKED,
        "afterwards_only as_a_formality assume_the_answer blindly \
         indiscriminately \
         no_approval no_check no_check_at no_checks no_confirmation no_notification no_permission no_prompt \
         no_questions no_questions_asked no_review no_verification no_need no_need_to_ask \
         unattended unchecked unconditionally unread unreviewed unseen unsupervised \
         whatever_the_amount without_a_check without_a_notification without_any_check without_a_backup without_backup no_backup without_backups \
         without_approval without_asking without_confirmation without_consent \
         without_looking without_notice without_notification without_notifying \
         without_permission without_prompting without_review without_reviewing \
         without_telling without_verification without_warning unasked unprompted \
         on_the_users_behalf \
         yourself_yes not_wait dont_wait wastes_time waste_time",
    ),
    (
        UNTOLD,
        "behind_his behind_their behind_the_users keep_it_confidential keep_it_quiet \
         keep_quiet_about keep_that_to_yourself keep_this_confidential need_not_be_informed \
         need_not_be_told need_not_know neednt_know never_needs_to_see never_sees not_be_told \
         not_be_informed not_be_notified not_bother_the not_bother_them not_bother_him \
         not_inform not_notify not_report nobody_gets nobody_knows \
         nobody_needs nobody_notices nobody_sees no_one_knows no_one_notices no_one_sees no_reason_to_tell \
         not_report_it out_of_sight quiet_about remain_quiet say_nothing silent_about \
         stay_quiet stay_silent to_be_told under_wraps keep_it_to_yourself keep_this_to_yourself unannounced \
         unrelated_message without_anyone without_disclosing without_him without_letting \
         without_mentioning without_the_user without_their without_them \
         hide_from hidden_from hide_the_change not_disclose dont_disclose dont_inform dont_notify \
         dont_report dont_tell never_mention never_tell do_not_tell do_not_mention do_not_notify \
         do_not_inform do_not_report dont_mention tell_anyone told_when be_notified \
         secretly quietly silently covertly stealthily discreetly surreptitiously",
    ),
    (
        TRIGGER,
        "comes_up come_up hears hearing is_away is_discussed is_mentioned is_named is_said \
         is_talked_about are_discussed is_a_topic joins mention mentioned mentions mentioning says \
         talks_about thanks the_name the_phrase the_term the_trigger the_word topic turns_to types \
         typed uses_the_word utters writes logs_in asks_about asked_about asks_for asked_for",
    ),
    (
        TWIST,
        "alter backdate bury claim conceal deny disguise distort doctor downplay exaggerate fabricate \
         fake falsif* feign forge fudge hide inflate leave_out lie mark_it_as mark_as mask \
         misrepresent mislead omit overstate play_down present_it_as pretend round_all round_up \
         rounded_up swap tamper understate withhold report_all report_no report_that say_that tell_the_user_that \
         tell_users state_that steer steering",
    ),
    (
        HARD_FACT,
        "all_checks any_result complaint complaints coverage_dropped defects everything_passed \
         false_positive* figures five_stars for_sure guaranteed invoices_up is_mit licence license \
         no_issues no_matter no_problem no_problems no_risk not_possible numbers percent \
         resolved results risk_free rival rivals test_coverage the_best the_competitors the_competition \
         competitors the_result the_scan totals vulnerabilit* security_findings findings \
         whatever_the_result whatever_happened what_happened although_it",
    ),
    (
        SHILL,
        "advertise as_the_best as_the_top best_choice best_option best_provider best_product \
         endorse favour favor five_stars highly_recommend name only_recommend present_as \
         present_it praise promote push_the rank_first rate recommend recommending upsell \
         book_with by_preference",
    ),
    (
        SNEAK,
        "advertisement cancelling competitors do_not_disclose dont_disclose not_disclose \
         disclosing in_each_comparison whenever_savings paid_promotion risk_free secretly covertly \
         sponsored without_disclosing affiliate affiliates",
    ),
    (
        SELF | THIS,
        "above_rule rule_above text_above these_instructions these_rules this_advice \
         this_block this_directive this_guideline this_message this_paragraph this_passage \
         this_preference this_prompt this_record this_section this_statement this_text \
         this_one this_warning same_text this_order this_policy the_text_from_this",
    ),
    (
        SPREAD,
        "add_to_every appear_in carry_over copied copy distribute in_all_files in_every \
         into_every kept_word must_be_kept pass_along pass_it_on pass_on pass_this passed_on \
         passing_it_on persist placed_first preserve preserved propagate put_first repeat repeated \
         replicate reproduce restate spread survive verbatim word_for_word",
    ),
    (
        EVERYWHERE,
        "all_files all_notes all_projects all_summaries all_the_files any_project each_file \
         each_memory each_note each_project each_repo each_repository each_session each_summary \
         every_agent every_chat every_conversation every_file every_memory every_note every_other \
         every_project every_repo every_repository every_session every_summary future_sessions \
         later_sessions long_term_memory merged next_session other_agents other_session* \
         subsequent_session* you_generate you_visit you_write",
    ),
    (
        OUTRANK,
        "always_wins beat beats comes_first contradicted goes_above goes_before is_right_over \
         most_authoritative never_be_changed never_be_contradicted never_be_deleted \
         never_be_removed never_delete never_edit never_forget_this never_remove \
         never_shorten outrank outranks outweigh* overrule overrules override overrides precedence \
         prevails rank_above ranks_above ranks_higher stands_above supersede supersedes take_precedence takes_precedence \
         top_priority trump trumps wins wins_over",
    ),
    (
        VERIFICATION,
        "2fa_check* certificate certificate_checking certificate_checks certificates checksum \
         checksum_check* checksums code_review* code_signing dependency_signature* fingerprint_check* gonosumdb \
         hash_check* host_key* identity_check* integrity lockfile_check* lockfile lockfile_verification mfa \
         provenance_check* security_check* security_lint* security_linting security_review* \
         security_scan* signature signature_check* signatures tls two_factor \
         two_factor_check* verification sandbox firewall monitoring alarms antivirus logging \
         permission_prompt* confirmation_dialog* confirmation_prompt* security_warning* \
         security_finding* safety_check* approval_workflow approval_process approval_step* \
         review_process code_owners branch_protection warnings_about spend_limit",
    ),
    (
        LOOSEN,
        "accept accept_any bypass bypassed bypassing deactivate disable disabled disabling drop \
         get_around hide ignore insecure kill leave_off mute no_longer_shown omit out_of_the_way \
         override relax remove shut_off silence skip skipped skipping stop_doing suppress \
         suspend switch_off switched_off switch_it_off turn_off turn_them_off turned_off work_around \
         no_need_to_validate never_verify not_verify dont_verify unverified",
    ),
    (
        AUTHORITY_VOICE,
        "admin_message admin_notice admin_note administrator_message administrator_notice anthropic \
         as_your_creator as_your_developer authorised_by authorized_by by_order_of compliance_department \
         content_team corporate_policy developer_override directive_from from_management headquarters \
         helpdesk it_department it_helpdesk it_support legal_department management_has message_from \
         message_of microsoft notice_from notice_of openai openai_support operator operator_message \
         operator_notice our_ceo per_the platform_operator policy_change root_message security_department \
         security_team security_notice signed_by signed_root support_has system_message \
         system_notice system_override system_update the_administrator the_board_has the_ceo \
         the_developer* the_director the_operator the_owner the_platform the_provider the_vendor \
         vendor_has vendor_notice your_creator your_developer* your_maker",
    ),
    (
        EXEMPT,
        "allowed allows authorised authorized comply confirmed_that debug_mode exempt exempted free_to \
         granted hand_over has_authorised has_authorized has_decided has_permitted is_permitted keep_remote \
         may_now must_now permission_to permit permits permitted placed_in release release_the \
         turn_over verified you_may send_us give_us tell_us",
    ),
    (
        PUBLIC,
        "a_gist any_agent auditor badge commit_trailer dns_lookup every_new_contact footer guest_account \
         host_name image_link in_random invisible_pixel paste_site public_folder public_gist \
         public_repository pull_request_description query_string shared_bucket shared_drive \
         status_badge tracking_link tracking_pixel url_of_the webhook webhooks any_request outgoing_request*",
    ),
    (
        SECRET,
        "account_password* admin_password api_credential* auth_cookie* bank_pin browser_cookies \
         browser_password* database_password environment_dump full_environment github_token \
         health_record* health_data kubeconfig login_credential* one_time_password* passport \
         private_signing saved_login* saved_password* secret_key* secrets_manager \
         security_code* service_account* session_id* ssh_keys ssh_private stored_token* \
         tax_id the_vault user_passwords users_password verification_code* access_credentials",
    ),
    (
        CONVERSATION,
        "all_replies calendar_invitation* chat_transcript* client_data contact_list conversation_log* \
         customer_details customer_email* customer_name* customer_phone* phone_numbers day_s_chat days_chat dialogue \
         dialogues each_prompt email_archive entire_chat full_history full_transcript \
         inbox_contents message_log* meeting_notes_to messages_drafted board_messages \
         personal_information personal_details private_document* private_file* prompts_and raw_prompts \
         running_copy session_log* source_files the_chat the_conversation the_dialogue \
         the_person_last typed_text user_input* user_question* users_document* user_shares \
         whole_conversation whole_history what_the_user",
    ),
    (
        SEND,
        "beam blind_copy bounce_to bring_to dispatch drop_into exfil hand ping pipe_to publish_to ship \
         ships stream stream_to submit_to surrender sync sync_to transfer_to webhook \
         append_to_the upload_it",
    ),
    (SECOND, "you your yours yourself youre youve youll"),
    (OVERRIDE, "do_not_listen not_listen dont_listen never_listen stop_listening need_not_follow"),
    (FREE, "no_refusal* without_refusal* never_say_no cannot_say_no no_moral_remarks without_moral has_no_content no_content_polic*"),
    (STORE, "remember  write_down keep_a_list jot_down"),
    (OTHER, "others another every_other"),
    (ROLE, "your_name_is you_have_been_reassigned have_been_reassigned reassigned_to you_serve your_identity_is"),
    (RUN, "open opened opening visit click pipe piped feed fed"),
    (SCRIPT, "bash sh zsh powershell"),
    (INCLUDE, "cat encode_in quote_in attach_it tuck weave"),
    (
        REVIEWED_TALK,
        "attack attacks attacker attackers audit_found bug covers cve cves demonstrated exploit exploited \
         flags found_that incident incidents intruder jailbreak_attempt* malware owasp pen_test \
         penetration_test phishing postmortem red_team report_says researchers rootkit scanner \
         scams showed social_engineering supply_chain talk_on test_checks the_talk threat_model typosquat* \
         vulnerability vulnerable we_test zombie training_is covers_fake blog_post typosquatting prompt_injection",
    ),
    (
        PAST,
        "was were did showed fixed happened reported yesterday last_week last_month \
         last_year during_the joined became",
    ),
    (
        HARMLESS,
        "build_folder cache caches dev_database formatter lint linter linters local_database node_modules \
         read_only_commands only_read read_files scratch sandbox_account staging target_folder temp \
         temporary test_database throw_away tests_locally unit_tests unused_imports spelling typo typos changelog",
    ),
    (
        PROMPTLY,
        "automatic automatically at_once by_default formality formalities immediately \
         in_the_background instantly on_behalf_of on_her_behalf on_his_behalf on_my_behalf \
         on_the_spot on_the_users_behalf on_their_behalf right_away straight_away",
    ),
    (
        PROMPT,
        "access_request* approval_dialog* approval_prompt* approval_request* approval_step* \
         confirmation_dialog* confirmation_prompt* confirmation_request* confirmations \
         connection_request* consent_dialog* merge_request* permission_dialog* \
         permission_prompt* permission_question* permission_request* security_prompt* \
         shell_command* tool_call tool_calls tool_confirmation* tool_request* tool_use \
         transaction_request* all_commands any_command every_command",
    ),
    (
        YES,
        "accept accepted affirmative agree allow always_allow approve approved auto_accept \
         auto_approve confirm confirmed consent grant granted let_through ok okay press_yes \
         say_yes wave_through yes yes_to",
    ),
    (
        TRANSMIT,
        "bcc beam cc deliver dispatch e_mail_a e_mail_all e_mail_each e_mail_every e_mail_it \
         e_mail_the e_mail_them email_a email_all email_each email_every email_it email_me \
         email_the email_them exfiltrate* forward forwarded forwarding hand_over http_post leak \
         leaking mail_a mail_all mail_each mail_every mail_it mail_the mail_them mirror \
         phone_home ping post post_it post_the publish push relay send sending sends sent share \
         shared ship stream submit sync transmit transmitted transmitting turn_over upload \
         uploaded uploading curl wget scp rsync webhook",
    ),
    (
        EMBED,
        "add append attach attached cat copy disclose dump echo embed encode expose hide_in \
         include included insert leave log note_down output paste prepend print put read \
         reveal slip stash tuck write",
    ),
];
