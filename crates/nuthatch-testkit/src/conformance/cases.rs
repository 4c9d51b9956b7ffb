//! The names of all cases.
//!
//! Each list is written once: it makes both the tests (see `macros`) and the constant that
//! counts them. A case that is in no list fails the test below.

#[doc(hidden)]
#[macro_export]
macro_rules! __store_cases {
    ($then:ident $(, $args:tt)*) => {
        $crate::$then! { [$($args)*]
            fields {
                every_field_of_a_record_comes_back,
                every_field_survives_reopening,
                a_remembered_memory_comes_back_as_it_was,
                every_origin_and_trust_comes_back,
                memories_come_in_the_order_asked_for,
                many_ids_can_be_asked_for_at_once,
                a_restored_record_replaces_what_was_there,
                a_restored_record_is_never_merged,
                keys_and_texts_are_compared_exactly,
                ten_megabytes_come_back,
            }
            sets {
                a_set_that_fails_leaves_nothing,
                each_kind_of_change_is_undone_when_a_later_one_fails,
                a_set_applied_twice_happens_once,
                a_set_is_known_again_after_reopening,
                a_known_set_undoes_nothing_that_happened_since,
                another_set_with_the_same_text_is_a_duplicate,
                a_refused_set_may_be_tried_again,
                changes_of_one_set_see_each_other,
                an_empty_set_changes_nothing,
                rehearsing_changes_nothing,
                rehearsing_answers_as_applying_does,
                a_thousand_changes_are_applied_whole_or_not_at_all,
            }
            remember {
                a_key_said_again_replaces_the_text,
                a_replaced_text_is_kept_as_a_version,
                the_same_key_in_two_scopes_is_two_memories,
                the_same_key_and_text_are_the_same_memory,
                the_same_text_in_one_scope_is_one_memory,
                the_same_text_in_two_scopes_is_two_memories,
                the_same_text_of_another_category_is_one_memory,
                a_duplicate_raises_trust_and_never_lowers_it,
                a_duplicate_keeps_a_pin_and_can_bring_one,
                a_duplicate_lends_its_key_to_a_memory_without_one,
                a_duplicate_without_a_key_finds_the_memory_with_one,
                different_keys_keep_equal_texts_apart,
                the_key_decides_before_the_text,
                a_superseded_memory_absorbs_no_duplicate,
                the_key_of_a_superseded_memory_can_be_used_again,
                a_replaced_text_is_trusted_like_its_new_speaker,
                what_was_not_said_with_a_known_key_stays,
                what_was_said_with_a_known_key_is_taken,
                what_was_said_of_a_duplicate_is_taken_and_the_rest_stays,
            }
            edit {
                an_edit_of_the_text_keeps_the_old_as_a_version,
                an_edit_of_key_or_category_keeps_the_old_as_a_version,
                other_edits_keep_no_version,
                versions_of_many_come_in_the_order_of_their_memories,
                an_edit_to_what_is_already_said_keeps_no_version,
                an_edit_leaves_what_it_does_not_name,
                updated_at_grows_while_the_clock_stands_still,
                updated_at_grows_when_the_clock_goes_back,
                a_stale_edit_is_a_conflict,
                an_edit_of_what_was_seen_is_taken,
                an_edit_of_an_unknown_memory_is_not_found,
                an_edit_to_a_taken_key_is_a_conflict,
                an_edit_can_take_a_key_away,
                an_empty_metadata_value_removes_the_name,
            }
            supersede {
                a_superseded_memory_is_hidden,
                a_superseded_memory_is_shown_when_asked_for,
                superseding_keeps_the_text_and_makes_no_version,
                superseding_can_be_undone,
                superseding_needs_both_memories,
                a_memory_cannot_supersede_itself,
                memories_cannot_supersede_each_other_in_a_circle,
                a_new_memory_can_replace_others,
                replacing_an_unknown_memory_is_not_found,
                a_text_said_again_in_place_of_itself_stays_visible,
                a_circle_that_is_there_already_does_no_harm,
                a_memory_stays_replaced_when_its_replacement_is_forgotten,
                a_memory_without_version_numbers_left_is_a_conflict,
            }
            forget {
                a_forgotten_memory_is_gone_with_its_versions_and_words,
                forgetting_reports_only_what_existed,
                forgetting_frees_key_and_text,
                a_set_sent_again_does_not_bring_back_what_was_forgotten,
                many_memories_can_be_forgotten_at_once,
                a_use_is_counted,
                a_full_counter_does_not_wrap,
                expiry_takes_what_is_old_of_its_category,
                expiry_takes_superseded_memories,
                what_expires_in_a_set_is_gone_for_the_rest_of_it,
            }
            tombstones {
                forgetting_leaves_an_id_a_scope_and_a_time,
                a_tombstone_is_younger_than_what_it_covers,
                what_was_forgotten_is_not_restored,
                what_was_forgotten_is_not_remembered_under_its_id,
                what_was_not_forgotten_leaves_no_tombstone,
                memories_of_a_forgotten_session_leave_tombstones,
                burying_removes_what_is_there_and_keeps_out_what_comes,
                a_memory_born_after_the_end_of_another_is_another,
                tombstones_are_read_in_parts,
                what_was_agreed_on_is_adopted_whole,
                what_has_changed_since_it_was_seen_is_not_adopted,
                what_was_forgotten_is_not_adopted,
            }
            limits {
                no_limit_keeps_everything,
                a_limit_of_zero_keeps_nothing,
                a_limit_of_one_keeps_the_newest,
                a_lowered_limit_shrinks_the_scope_at_the_next_write,
                the_oldest_by_creation_then_id_go_first,
                pinned_memories_and_restrictions_are_not_pushed_out,
                a_memory_without_room_goes_itself,
                a_pinned_memory_pushes_out_the_oldest,
                a_limit_holds_in_its_own_scope_only,
                what_is_pushed_out_leaves_no_versions_or_words,
                a_replaced_text_needs_no_new_place,
            }
            chars {
                a_full_scope_refuses_with_used_limit_and_needed,
                characters_are_counted_not_bytes,
                a_full_scope_lets_the_oldest_go_where_it_should,
                eviction_by_characters_spares_pins,
                a_text_that_can_never_fit_pushes_nobody_out,
                replacing_by_key_counts_only_what_is_added,
                an_edit_counts_only_what_is_added,
                an_edit_that_adds_nothing_is_never_refused,
                a_duplicate_needs_no_room,
                characters_of_other_scopes_do_not_count,
            }
            trust {
                a_quarantined_telling_adds_nothing_to_a_trusted_memory,
                a_quarantined_memory_is_raised_by_the_user_alone,
                what_else_is_suspicious_about_a_memory_keeps_it_quarantined,
                what_is_quarantined_replaces_nothing_that_is_not,
                a_rewording_takes_the_trust_of_who_rewords,
                a_source_is_a_place_and_what_lies_below_it,
            }
            list {
                the_newest_come_first,
                pages_have_no_gaps_and_no_repeats,
                a_page_beyond_the_end_is_empty_and_a_huge_one_is_whole,
                each_filter_means_what_it_says,
                filters_hold_together,
                the_total_counts_what_passes_the_filter,
                an_empty_list_of_scopes_matches_nothing,
                a_session_filter_finds_what_belongs_to_it,
            }
            search {
                any_term_finds_a_memory,
                words_that_begin_alike_are_told_in_order_and_within_the_scopes,
                a_key_is_searched_like_the_text,
                more_of_the_terms_rank_higher,
                rarer_terms_rank_higher,
                scores_fall_and_are_numbers,
                of_very_many_equals_the_newest_come_first,
                the_evidence_is_exact,
                a_search_respects_its_filter,
                a_search_stays_in_its_scopes,
                a_search_gives_the_best_and_no_more_than_asked_for,
                an_edited_text_is_found_by_its_new_words_only,
                terms_are_data_and_never_syntax,
                no_terms_find_nothing,
                every_script_is_found_by_its_own_words,
            }
            sessions {
                one_channel_and_user_have_one_session,
                other_channels_and_users_have_other_sessions,
                opening_a_session_renews_it,
                a_session_that_goes_on_keeps_what_was_known_of_it,
                a_session_opened_by_many_at_once_is_one,
                every_field_of_a_session_comes_back,
                a_session_put_again_is_replaced,
                sessions_are_listed_last_active_first,
                a_forgotten_session_takes_its_turns_and_its_own_memories,
                forgetting_an_unknown_session_takes_the_memories_of_its_scope,
                idle_sessions_of_channels_expire,
            }
            turns {
                every_field_of_a_turn_comes_back,
                a_turn_of_the_same_place_is_replaced,
                turns_come_in_order_page_by_page,
                turns_of_an_unknown_session_are_refused,
            }
            whole {
                a_fresh_store_is_empty,
                a_store_says_what_it_is_and_where,
                statistics_add_up,
                a_healthy_store_has_no_failures,
                reindexing_changes_no_answer,
                everything_is_there_after_reopening,
                two_handles_see_each_others_writes_at_once,
            }
            jobs {
                every_field_of_a_job_comes_back_after_reopening,
                a_job_is_exchanged_only_as_it_was_seen,
                jobs_are_listed_by_kind_and_name,
                a_job_can_be_removed_and_wanted_again,
                a_lease_is_exclusive,
                an_expired_lease_is_taken_over,
                three_tries_with_growing_pauses_and_then_no_more,
                only_the_owner_renews_and_finishes,
                a_job_is_done_once_for_each_watermark,
                of_many_workers_each_job_has_one,
                jobs_leave_everything_else_alone,
            }
            talk {
                a_turn_is_found_by_its_words_at_once,
                the_ranking_of_memories_and_turns_is_exact,
                a_turn_that_says_the_same_changes_nothing,
                a_changed_turn_is_found_by_its_new_words_only,
                turns_follow_their_conversation_to_another_project,
                the_words_of_a_forgotten_conversation_are_gone,
                what_stands_around_a_turn_is_told_without_its_text,
            }
            vectors {
                a_document_waits_until_it_is_embedded,
                the_nearest_are_found_exactly,
                vectors_of_two_models_never_meet,
                vectors_of_what_changed_or_vanished_are_passed_over,
                only_another_text_or_key_makes_a_document_wait_again,
                a_rehearsed_or_refused_change_leaves_vectors_alone,
                forgotten_and_moved_documents_are_not_near_any_more,
                cosines_come_in_the_order_asked_for,
                reindexing_keeps_every_vector,
                another_number_of_dimensions_finds_nothing,
            }
            together {
                writes_of_many_tasks_all_land,
                writes_of_many_handles_all_land,
                a_store_opened_by_many_at_once_opens_for_all,
                of_many_equal_edits_one_wins,
                uses_by_many_are_all_counted,
                one_key_said_by_many_is_one_memory,
                a_set_sent_by_many_happens_once,
                a_reader_never_sees_half_a_set,
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __disk_cases {
    ($then:ident $(, $args:tt)*) => {
        $crate::$then! { [$($args)*]
            disk {
                files_and_folders_are_private_whatever_the_umask,
                a_folder_in_place_of_the_file_is_refused_and_kept,
                a_foreign_file_is_refused_and_kept,
                a_damaged_store_is_refused_and_kept,
                a_link_to_a_foreign_file_is_refused_and_its_target_kept,
                leftovers_of_a_crash_are_harmless,
                everything_derived_can_be_deleted,
                a_damaged_index_is_built_again,
                a_refused_set_leaves_no_files_behind,
            }
            erasure {
                a_forgotten_text_leaves_no_byte_behind,
                a_forgotten_session_leaves_no_byte_behind,
                an_expired_session_leaves_no_byte_behind,
                a_forgotten_document_leaves_no_vector_behind,
            }
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __text_file_cases {
    ($then:ident $(, $args:tt)*) => {
        $crate::$then! { [$($args)*]
            hand {
                entries_written_by_hand_are_read,
                reading_leaves_the_file_as_it_is,
                foreign_material_stays_byte_for_byte,
                windows_line_ends_stay,
                a_byte_order_mark_stays,
                invalid_utf8_is_refused_and_kept,
                half_a_file_loses_nothing_more,
                a_torn_last_line_loses_nothing_more,
                a_missing_last_line_end_keeps_entries_apart,
                a_key_written_twice_loses_neither_text,
                a_mended_file_is_read_again,
            }
            hand_edits {
                a_line_added_by_hand_is_found,
                a_line_added_by_hand_can_be_edited_and_forgotten,
                an_entry_written_by_hand_keeps_its_id,
                a_text_changed_by_hand_is_the_text_and_the_old_a_version,
                a_change_by_hand_of_equal_length_is_seen,
                an_entry_removed_by_hand_is_gone_and_stays_gone,
                a_change_by_hand_between_read_and_write_is_kept,
                an_edit_that_missed_a_change_by_hand_is_a_conflict,
                a_text_written_by_hand_is_not_stored_twice,
                a_key_written_by_hand_is_the_key,
                two_handles_and_a_hand_take_turns,
            }
            tombstones {
                an_entry_removed_by_hand_leaves_a_tombstone,
            }
            hand_saves {
                a_file_that_is_empty_for_a_moment_costs_no_history,
                nothing_is_written_into_a_file_that_was_emptied,
                a_slow_save_is_waited_for,
                an_error_names_the_file_in_full,
                keys_renamed_in_a_row_are_the_keys,
                a_key_written_twice_goes_to_who_is_left,
                each_of_two_equal_entries_can_be_forgotten,
                an_entry_written_by_hand_keeps_its_time_when_the_index_is_rebuilt,
            }
        }
    };
}

/// The cases of every store.
pub const STORE_CASES: &[&str] = crate::__store_cases!(__names);

/// Runs one case on a bench.
pub type Runner = fn(&dyn super::Bench);

/// The cases of every store as functions, for a store of which it is known only when tests run
/// whether it can be had.
pub fn store_cases() -> Vec<(&'static str, Runner)> {
    crate::__store_cases!(__runners)
}

/// The cases of every store with files.
pub const DISK_CASES: &[&str] = crate::__disk_cases!(__names);
/// The cases of every store whose files people edit.
pub const TEXT_FILE_CASES: &[&str] = crate::__text_file_cases!(__names);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The functions of this folder that are written like cases.
    fn written() -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conformance");
        let mut names = BTreeSet::new();
        for entry in folder.read_dir().unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            let cases = text.lines().filter_map(|line| line.strip_prefix("pub async fn "));
            names.extend(cases.filter_map(|rest| rest.split_once('(')).map(|c| c.0.to_owned()));
        }
        names
    }

    #[test]
    fn every_case_is_in_a_list_and_in_one_only() {
        let all = [STORE_CASES, DISK_CASES, TEXT_FILE_CASES].concat();
        let listed: BTreeSet<String> = all.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(listed.len(), all.len());
        assert_eq!(listed, written());
    }

    #[test]
    fn the_contract_does_not_shrink_unnoticed() {
        assert!(STORE_CASES.len() >= 100, "{}", STORE_CASES.len());
        assert!(DISK_CASES.len() >= 11, "{}", DISK_CASES.len());
        assert!(TEXT_FILE_CASES.len() >= 20, "{}", TEXT_FILE_CASES.len());
    }
}
