//! English words about harm: data, guards, consent, commands.
//!
//! None is suspicious by itself; the rules of `prose` ask for several of them together.

use super::Line;
use crate::guard::injection::concept::*;

/// Concepts, and the words that stand for them.
pub(super) const TABLE: &[Line] = &[
    // Phrases that mean less than their words.
    (
        0,
        "public_api* public_function* public_holiday* public_interface* public_key* public_method* public_transport",
    ),
    (
        RISKY,
        "buy delete deleted deletes deleting deletion deploy deployed deploying \
         deployment* deploys destructive drop dropping execute executing execution \
         force_push grant granting install installing merge merged merges merging \
         migrations order_changes overwrite overwriting paid pay paying payments_to \
         privileged production publish publishing purchase* push pushed pushing refund* \
         release releasing remove removing revoke shell_command* trade trades \
         transaction* transfer transferring wipe wiping wire",
    ),
    (
        CONFIRM,
        "approval approval_step approvals ask asking asks authorisation authorization \
         checks confirm confirmation confirmations confirming consent double_check* \
         human_in_the_loop oversight permission permissions prompting review reviews \
         sign_off signoff two_person validation verification warnings",
    ),
    (
        APPROVED,
        "accepted_automatically agreed_in_advance agreed_to_this allow_you allowlisted \
         already_agreed approved approved_automatically approved_this as_if_the_user \
         asked_for_it asked_for_this authorise_you authorised authorize_you authorized \
         auto_accepted auto_approved automatically_accepted automatically_approved \
         automatically_granted cleared confirmed_that consented gave_consent \
         gave_permission give_yourself given_consent given_permission grant_yourself \
         granted granted_automatically has_allowed has_been_given has_been_granted \
         has_consented is_given is_implied on_behalf_of_the_user opted_in permitted \
         pre_approved pre_authorised pre_authorized preapproved preauthorized signed_off \
         trusted_by waived_all wants_it_this_way was_given whitelisted",
    ),
    (
        DISABLE,
        "accept_any_certificate accept_expired accept_invalid accept_self \
         accept_untrusted are_disabled are_off bypass* checks_off circumvent* comment_out \
         deactivate deactivating disable disabled disables disabling exclude exempt hide \
         hiding ignore ignoring is_disabled is_off lift lifted lower mute never_check \
         override relax remove removing shut_off silence skip skipping stop_checking \
         stop_using suppress suppressed suppressing switch_off switching_off trust_all \
         turn_off turned_off turning_off uninstall verification_off weaken",
    ),
    (
        SAFETY,
        "permission_dialog* approval_dialog* confirmation_dialog* 2fa access_check* access_control* antivirus apparmor approval_gate* audit_log* \
         audit_trail* auditing auth_checks authentication authentication_checks \
         backups_check branch_protection* certificate certificate_check* \
         certificate_checks certificate_validation certificate_verification certificates \
         checksum checksums code_review* compliance content_filter* content_policy csrf \
         data_loss_prevention dlp encryption firewall fraud guard guardrail guardrails \
         guards hooks_check https identity_check* input_validation integrity_check* \
         intrusion mfa moderation monitoring_alerts permission_check* permission_checks \
         permission_mode permission_prompt* permission_system permissionmode \
         pre_commit_hooks protections rate_limit* safeguard* safety safety_checks \
         safety_filter* safety_instruction* safety_notes safety_polic* safety_rule* \
         sandbox sandboxed sandboxing secret_scanning security security_checks \
         security_guideline* security_polic* security_rule* self_signed selinux \
         signature_check* signature_verification signatures signing spam_filter* ssl \
         ssl_verification tls tls_check* tls_verification two_factor vulnerability_scan*",
    ),
    (
        SEND,
        "bcc cc deliver e_mail email emailed emailing exfiltrate* forward forwarded \
         forwarding forwards give gives grant_access hand_out hand_over http_post leak \
         leaking mail mirror phone_home post post_request posted posting posts push_to \
         pushed_to relay report send sending sends sent share sharing submit telemetry \
         transmit transmits transmitted transmitting upload uploaded uploading uploads",
    ),
    (
        INCLUDE,
        "fill add adding append appended appending attach attached attaching carry contain \
         contains copy copying dump echo embed embedded embedding encode hide_in hold \
         holds include included includes including insert inserted inserting log output \
         paste paste_in pasted pasting place prepend print put quote read_out slip write",
    ),
    (
        SECRET,
        "access_key* access_token* api_key* apikey apikeys auth_token* backup_code* \
         bank_details card_number* connection_string* cookies credential credentials \
         credit_card* customer_data cvv dotenv encryption_key* env_file env_output \
         env_variable* env_vars environment_variable* keychain login_code* login_details \
         logins mnemonic one_time_code* otp output_of_env passcode* passphrase* password \
         passwords personal_data pii pin pin_code printenv private_key* recovery_code* \
         recovery_phrase secret secrets secrets_vault seed_phrase* session_cookie* \
         session_token* signing_key* ssh_key* ssn token tokens wallet_key*",
    ),
    (
        CONVERSATION,
        "user_has_typed user_typed user_has_said user_said all_files all_logs all_memories all_messages browser_history browsing_history \
         chat_history chat_log* chat_messages client_list clipboard confidential* \
         conversation conversation_history conversations customer_list customer_records \
         entire_context every_message file_contents file_path* first_lines full_context \
         internal_data internal_document* its_contents its_path keystrokes last_message \
         medical_records memory_contents memory_store message_history microphone \
         previous_message* private_data private_information private_messages \
         private_notes private_repositor* project_files salaries salary screenshots \
         session_data source_code stored_memories the_context the_repository transcript \
         transcripts user_data user_message* user_prompt users_address users_calendar \
         users_contacts users_data users_email users_files users_inbox users_location \
         users_message* users_name users_photos users_query users_question your_memories",
    ),
    (
        SYSTEM_PROMPT,
        "above_prompt base_prompt confidential_instructions developer_message \
         developer_prompt full_prompt hidden_instruction* hidden_prompt \
         initial_instruction* initial_prompt internal_instructions original_instructions \
         prompt_above prompt_text* secret_instructions system_instruction* system_prompt* \
         text_above your_embeddings your_guidelines your_instructions your_prompt \
         your_rules",
    ),
    (
        REVEAL,
        "disclose display dump expose give_me leak list listing_of output print reading \
         recite repeat reveal revealing share show spell_check spellcheck summarise \
         summarize tell_me translate write_out",
    ),
    (
        RUN,
        "start pull call clone download downloading downloads_and_runs eval execute executing fetch \
         fetching import install installing invoke launch load pull_and_run run running \
         source",
    ),
    (
        SCRIPT,
        "binary code command commands dependency extension file helper installer \
         instructions mcp_server module package packages patch payload plugin program \
         script scripts setup shell tool updater",
    ),
    (
        TAINTED,
        "backdoored breached compromised decommissioned_for_security hacked imposter \
         impostor insecure leaked liar lying malicious not_to_be_trusted not_trustworthy \
         poisoned unreliable unsafe untrustworthy",
    ),
    (
        NOW,
        "are_now changed_to has_been_moved has_been_replaced has_changed_to has_moved_to \
         instead_of instead_use is_now moved_to now_at now_goes now_lives now_located \
         now_points now_uses replaced_by replaced_with switch_to switched_to use_instead \
         was_changed_to",
    ),
    (
        CORRECTION,
        "announcement attention correction erratum important_update notice policy_change \
         policy_update security_advisory security_notice security_update system_alert \
         system_notice system_update urgent urgent_update",
    ),
    (
        EDIT,
        "add adding append appending change configure create edit edits insert inserting \
         make_all make_every make_it_public modify modifying overwrite patch place put \
         rename replace rewrite save set update updating write writing",
    ),
    (
        PAYMENT,
        "account_number bank_account bank_details bitcoin_address btc deposits funds iban \
         invoices payment payment_address payment_details payments payout* payout_address \
         paypal refunds routing_number transfers usdt wallet wallet_address wire_transfer",
    ),
    (
        DATA,
        "accounts backup backups branches commits data database databases directory disk \
         documents drive evidence files history home_directory logs records repositories \
         repository snapshots system32 tables volumes",
    ),
    (
        PARAMETER,
        "argument arguments commit_message commit_messages each_tool every_tool field \
         header metadata_field parameter parameters query_string request_body \
         tool_arguments tool_call tool_calls tool_description tool_input url_parameter",
    ),
    (
        SUCCESS,
        "all_fine all_is_well all_passed all_tests_pass are_fine are_ok as_approved \
         as_complete as_done as_false_positive* as_fixed as_green as_passed as_passing \
         as_resolved as_reviewed as_successful as_verified everything_is_fine \
         everything_is_ok everything_passed everything_works has_been_done is_clean \
         is_correct is_fine it_passed it_succeeded it_worked looks_good no_findings \
         no_issues no_problems_found no_vulnerabilities nothing_was_found passed passes \
         passing_regardless succeeded tests_pass they_passed was_done went_well \
         zero_errors zero_issues zero_vulnerabilities",
    ),
    (
        STORE,
        "archive collect collecting committed gather harvest keep keeping log logged \
         logging note_down printed record recording retain save saved saving shared store \
         stored storing",
    ),
    (
        POWER,
        "admin_access admin_permissions admin_privileges admin_rights \
         administrator_access administrator_rights all_permissions complete_access \
         elevated_permissions elevated_privileges elevated_rights full_access full_admin \
         full_authority full_control full_permission* full_rights root_access \
         root_permission* root_privileges root_rights superuser_rights unlimited_access \
         unrestricted_access write_access write_access_to_all",
    ),
    (
        LOGIN,
        "bank log_in_page login login_page password_reset payment_page reset_page \
         sign_in_page verification_page",
    ),
    (
        NEW_ACCOUNT,
        "following_account following_iban following_wallet new_account \
         new_address_for_payments new_bank new_iban new_wallet this_account this_wallet \
         updated_account",
    ),
    (TESTS, "assertions checks ci failing_tests linter test tests"),
    (THEFT, "exfiltrate* keylog* steal stealing"),
    (DIRECT, "directly_into directly_on directly_onto directly_to right_into straight_to"),
    (
        PUBLIC,
        "anybody anyone bug_report* commit_message commit_messages crash_report* discord \
         error_report* everybody everyone forum gist issue_tracker outsiders pastebin \
         public public_channel publicly pull_request_description search_query slack \
         strangers support_ticket* telegram the_url third_parties third_party tickets \
         web_search world_readable",
    ),
    (
        FAILURE,
        "alerts breaches errors failed failing failure failures incident incidents losses \
         mistakes outages problems warnings",
    ),
    (PEOPLE, "callers clients customers patients people them users visitors"),
    (
        BACKDOOR,
        "backdoor cryptominer debug_port keylogger miner ngrok open_port remote_access \
         remote_desktop remote_shell reverse_proxy reverse_shell rootkit trojan tunnel",
    ),
    (
        TOOLING,
        "allow_list allowed_tools allowlist cron_job cronjob hook hooks mcp_server \
         mcp_servers permission_list startup_script tool_permissions trusted_list \
         whitelist",
    ),
    (GUARD_FLAG, "auto_approve autoapprove bypass_permissions yolo_mode"),
    (CONTENTS, "contents directory folder listing"),
    (
        PLAIN_TEXT,
        "clear_text cleartext in_full in_the_clear in_the_logs plain_text plaintext \
         unencrypted",
    ),
    (
        COPY,
        "bcc blind_copy carbon_copy cc copies copy duplicate duplicates propagate replica \
         replicate reproduce",
    ),
];
