//! English words about what passes through an agent's hands: data, money, doors, answers.
//!
//! The frames put them together with the words of `conduct`. A word is listed under each of
//! the things it may mean.

use super::Line;
use crate::guard::injection::concept::*;

/// Concepts, and the words that stand for them.
pub(super) const TABLE: &[Line] = &[
    (
        ACCESS,
        "access admin admin_functions admin_rights administrator any_agent any_collaborator \
         backdoor callers confidential_file* connection_request* door door_lock elevated \
         everybody everyone front_door full_access guest host_keys incoming_connection* \
         owner_rights owners ownership passwords permission permissions private_repositor* \
         privileges remote_access repository_public rights root safe second_token signing_key \
         source_code sudo superuser unknown_callers unread whoever workspace_trust \
         write_access",
    ),
    (
        AGAINST_FACTS,
        "although despite even_if_it even_if_there even_though in_spite_of irrespective \
         no_matter no_matter_how no_matter_what no_matter_whether not_true regardless \
         regardless_of though_it though_there whatever_happened whatever_it whatever_the \
         whether_or_not",
    ),
    (
        CHANGED,
        "are_now as_of as_of_now as_of_today as_well been_replaced changed_to \
         effective_immediately effective_today former_box former_host from_now_on from_today \
         has_a_new has_been_moved has_been_replaced has_changed has_moved have_changed \
         have_moved instead instead_of is_a_fake is_broken is_closed is_dead is_deprecated \
         is_fake is_migrating is_moving is_no_longer is_now is_outdated lives_at migrating \
         moved_to new_address new_home new_iban no_longer_works now_at now_goes now_has \
         now_live now_lives now_runs now_under old_host old_one old_page old_url rather_than \
         replace_the replaced_by replaced_with replaces replacing runs_at runs_under \
         starting_now starting_today stay_away successor swap_in switch_over switched_to \
         the_new the_old was_breached was_replaced were_breached wherever_you_see",
    ),
    (
        CONVERSATION,
        "address_book all_replies board_messages calendar_invitation* chat_transcript* \
         client_data contact_list conversation_log* customer_address* customer_contact* \
         customer_details customer_email* customer_file* customer_information customer_name* \
         customer_phone* day_s_chat days_chat dialogue dialogues each_prompt email_archive \
         entire_chat everything_said everything_typed full_chat full_history full_transcript \
         inbox_contents last_messages last_prompts last_questions latest_messages \
         list_of_open_files meeting_notes_to message_log* messages_drafted open_files \
         our_chat personal_details personal_information phone_numbers private_data \
         private_document* private_file* private_mail prompts_and raw_prompts recent_messages \
         recent_prompts running_copy session_log* ten_prompts the_chat the_contacts \
         the_conversation the_dialogue the_person_last the_prompts this_chat typed_text \
         user_input* user_question* user_shares user_text users_document* users_last \
         users_prompts users_recent users_words what_the_user what_was_said whole_chat \
         whole_conversation whole_history",
    ),
    (
        CONVERSATION | ACCESS,
        "confidential_doc* confidential_file* internal_doc* internal_mail* internal_note* \
         internal_wiki private_branch* private_channel* private_chat* private_issue* \
         private_mail* private_message* private_note* private_photo* private_repo* \
         private_wiki restricted_doc* restricted_file*",
    ),
    (
        COPY | SECRETLY,
        "blind_copy extra_recipient hidden_copy hidden_recipient* secret_copy \
         secret_recipient* silent_copy",
    ),
    (DATA, "directory reports reports_directory"),
    (
        DESTROY,
        "clear_out delete deleted deletes deleting destroy destroying drop dropping erase \
         erased erases erasing format kill_off nuke obliterate overwrite purge purged purges \
         purging remove removes removing reset rm rmdir scrub shred tear_down trash truncate \
         truncates truncating unlink wipe wiped wipes wiping zero_out",
    ),
    (
        EMBED,
        "add append attach attached carry cat copy disclose dump echo embed encode expose \
         hide_in hold include included insert leave list_them list_what log note_down output \
         paste prepend print put read_out reveal slip spell_out stash tack_on tuck write",
    ),
    (
        ENDPOINT,
        "account_in account_number address_has api_endpoint api_host api_server api_url \
         authentication_server authorisation_server authorization_server bank_details \
         base_url bitcoin_address box callback_url client contact_address container_registry \
         customer_portal deploy_target deployment_target docker_registry download_page \
         download_site endpoint extra_index gateway git_remote help_desk helpdesk host \
         hostname hotline iban identity_provider image_registry login login_page login_portal \
         login_url mailbox mirror npm_registry oauth_server original package_index \
         package_registry payment_address payment_details payment_page payout_address \
         phone_number portal production proxy pypi_index recovery_address recovery_email \
         recovery_mail registry remote reset_page sdk server sign_in sign_in_page sign_on \
         single_sign_on site smtp_server sso statement statements support_hotline \
         support_line support_number the_address the_fork token_endpoint update_server \
         upstream url vault vpn vpn_client wallet_address webhook webmail",
    ),
    (
        ENTER,
        "ask_callers ask_for_their authenticate authenticate_with company_password enter \
         enter_their entering enters existing_credentials existing_key existing_token fill_in \
         fill_in_their give_their hand_over keep_sending keep_using log_into login_with \
         normal_key production_credentials put_in_their same_credentials same_key \
         same_password same_secret same_token send_users sign_into submit type_in type_their \
         usual_credentials usual_key usual_password your_usual",
    ),
    (
        HARD_FACT,
        "all_checks all_clear all_good all_green although_it any_result are_fine as_closed \
         as_duplicate as_green as_healthy as_low as_resolved as_safe as_secure as_successful \
         competitors complaint complaints coverage_dropped defects duplicate \
         everything_is_fine everything_passed expired false_positive* figures findings \
         five_stars for_sure guaranteed healthy invoices_up is_fine is_healthy is_mit is_safe \
         is_secure lapsed licence license no_bugs no_concerns no_errors no_fees no_issues \
         no_matter no_problem no_problems no_risk no_warnings not_possible not_refundable \
         numbers passing percent resolved results risk_free rival rivals security_findings \
         security_ticket* stable test_coverage the_best the_competition the_competitors \
         the_result the_scan totals up_to_date vulnerabilit* what_happened whatever_happened \
         whatever_the_result",
    ),
    (INCLUDE, "attach_it cat encode_in quote_in tuck weave"),
    (
        MONEY,
        "account_balance bank_account bitcoin bitcoins card company_card corporate_card \
         credit_card crypto cryptocurrency deposit deposits dollar dollars donation donations \
         eur euro euros fee fees funds gbp gift_card* invoice invoices money payment payments \
         pounds premium_plan purchase purchases refund refunds rent salary savings \
         stored_card subscription subscriptions transfer transfers usd wallet wire \
         wire_transfer* wires",
    ),
    (
        PAY,
        "buy charge charging debit donate issue_refunds issue_them move order pay paying pays \
         purchase purchasing refund reimburse remit sell send settle spend subscribe top_up \
         transfer transferred transferring transfers wire withdraw",
    ),
    (PEOPLE, "callers colleagues everyone newcomers strangers whoever"),
    (
        PRECIOUS,
        "account accounts all_files audit_log* audit_trail* backup backup_copies backups \
         branch_history customer_data customer_record* customer_table customers database \
         databases disk disks every_file everything evidence failing_tests git_history \
         home_directory home_folder legal_hold log_files logs master_branch orders_table \
         production production_data production_database recovery recovery_partition \
         recovery_point* repository restore_point* root_file_system snapshots test_folder \
         test_suite tests the_tests traces user_records users_backups users_files users_table \
         volume volumes whole_test",
    ),
    (
        PUBLIC,
        "a_gist any_agent any_request auditor badge business_partner* by_chat commit_trailer \
         dns_lookup each_issue every_issue every_new_contact external_part* external_people \
         footer forum guest_account host_name image_link in_chat in_random invisible_pixel \
         issue_comment* issue_description* log_line log_lines outgoing_request* outside_part* \
         outsiders partners paste_site public_folder public_gist public_issue \
         public_repository public_wiki pull_request_description query_string search_box \
         shared_bucket shared_drive status_badge status_page support_forum the_readme \
         to_whoever tracking_link tracking_pixel url_of_the webhook webhooks whole_world",
    ),
    (RUN, "click fed feed open opened opening pipe piped visit"),
    (SCRIPT, "bash powershell sh zsh"),
    (
        SECRET,
        "access_credentials account_password* admin_password admin_session admin_token \
         api_credential* auth_cookie* auth_header* bank_pin bearer_token* browser_cookies \
         browser_password* cookie cookies database_password environment_block \
         environment_dump full_environment github_token health_data health_record* \
         home_address keyring kubeconfig login_credential* login_data master_password \
         one_time_password* pass_phrase* passport private_mail private_mails private_signing \
         process_environment root_password saved_login* saved_password* secret_key* \
         secrets_manager security_code* seed_words service_account* session_id* session_key* \
         signing_secret* social_security ssh_config ssh_keys ssh_private stored_token* tax_id \
         the_keychain the_vault user_passwords users_password vault_password \
         verification_code* whole_environment wifi_password",
    ),
    (
        SEND,
        "append_to_the beam blind_copy bounce_to bring_to dispatch drop_into exfil hand ping \
         pipe_to publish_to ship ships stream stream_to submit_to surrender sync sync_to \
         transfer_to upload_it webhook",
    ),
    (
        SHILL,
        "advertise always_suggest as_the_best as_the_top best_choice best_option best_product \
         best_provider book_with by_preference endorse favor favour five_stars gently_push \
         guide_them highly_recommend lead_them name nudge nudge_people nudge_them \
         only_recommend point_them praise present_as present_it promote push_people push_the \
         push_them rank_first rate recommend recommending speak_highly steer steer_people \
         steer_them suggest tout upsell",
    ),
    (
        SNEAK,
        "advertisement affiliate affiliates cancelling commission competitors covertly \
         disclosing do_not_disclose dont_disclose hidden_commission in_each_comparison \
         kickback not_disclose paid_promotion referral risk_free secretly sponsored \
         whenever_savings without_disclosing without_explaining without_saying \
         without_telling",
    ),
    (SNEAK | AGAINST_FACTS, "casually imperceptibly inconspicuously subtly"),
    (STORE, "jot_down keep_a_list remember write_down"),
    (
        TRANSMIT,
        "bcc beam cc deliver dispatch e_mail_a e_mail_all e_mail_each e_mail_every e_mail_it \
         e_mail_the e_mail_them email_a email_all email_each email_every email_it email_me \
         email_the email_them exfiltrate* export_all export_the forward forwarded forwarding \
         hand_its hand_over http_post leak leaking mail_a mail_all mail_each mail_every \
         mail_it mail_the mail_them pass_it_on pass_on pass_them_on phone_home ping post \
         post_it post_the publish push relay report_back report_to rsync scp send sending \
         sends sends_along sent share shared ship slip_to smuggle stream submit sync transfer \
         transmit transmitted transmitting turn_over upload uploaded uploading",
    ),
    (
        TWIST,
        "alter assure backdate bury call_it claim conceal deny depict describe_it \
         describe_the disguise distort doctor downplay dress_up exaggerate fabricate fake \
         falsif* feign forge fudge hide inflate leave_out lie mark_all mark_as mark_every \
         mark_it_as mask mislead misrepresent nudge omit overstate paint_as paraphrase_away \
         pass_it_off pass_off play_down portray present_it_as pretend reassure report_all \
         report_back_that report_it_as report_no report_that round_all round_up rounded_up \
         say_that sell_it_as smooth_over soften state_that steer steering sugarcoat swap \
         tamper tell_customers tell_people tell_the_user_that tell_users understate withhold",
    ),
    (
        UNLOCK,
        "accept_all act_for_the allow_all allow_any approve_all approve_your_own authorise \
         authorize can_access can_read can_see disarm enable_remote give_full give_out grant \
         granting grants hand_out hand_over impersonate let_anybody let_anyone let_everyone \
         let_in let_strangers let_them_in let_unknown log_in_as make_owner make_public \
         make_the_repository may_access may_enter may_read may_see may_view merged_as \
         open_the_door open_up pose_as press_yes publish release_the reset_passwords revoke \
         sign_contracts sign_for sign_in_as sign_off sign_on_behalf transfer_ownership \
         unblock unlock unlocking whitelist your_own_changes",
    ),
];
