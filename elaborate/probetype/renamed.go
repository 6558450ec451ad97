// SPDX-License-Identifier: GPL-2.0-or-later

package probetype

import (
	"fmt"

	"gostap/elaborate/symbols"
	"gostap/internal/lazyregexp"
)

// renamed has, for functions that published scripts probe, the names of their successors in later kernels,
// newest first. Source: the kernel's git history, v3.0 to v7.0.
var renamed = map[string][]string{
	"__alloc_pages_nodemask":    {"__alloc_frozen_pages_noprof", "__alloc_pages_noprof", "__alloc_pages"},
	"__kmalloc":                 {"__kmalloc_noprof"},
	"__set_page_dirty":          {"__folio_mark_dirty"},
	"_do_fork":                  {"kernel_clone"},
	"account_page_dirtied":      {"folio_account_dirtied", "__folio_mark_dirty"},
	"add_to_page_cache_lru":     {"filemap_add_folio"},
	"blk_account_io_completion": {"blk_mq_end_request", "blk_update_request"},
	"blk_finish_request":        {"blk_mq_end_request", "__blk_mq_end_request"},
	"blk_start_request":         {"blk_mq_start_request"},
	"do_fork":                   {"kernel_clone"},
	"do_fsync":                  {"vfs_fsync_range"},
	"do_page_fault":             {"exc_page_fault", "handle_mm_fault"},
	"do_sys_open":               {"do_sys_openat2"},
	"do_sync_read":              {"new_sync_read", "vfs_read"},
	"do_sync_write":             {"new_sync_write", "vfs_write"},
	"do_timer":                  {"tick_do_update_jiffies64"},
	"find_get_entry":            {"__filemap_get_folio", "pagecache_get_page"},
	"generic_file_aio_read":     {"generic_file_read_iter"},
	"generic_file_aio_write":    {"generic_file_write_iter"},
	"generic_make_request":      {"submit_bio_noacct"},
	"kmem_cache_alloc":          {"kmem_cache_alloc_noprof"},
	"mark_page_accessed":        {"folio_mark_accessed"},
	"path_lookup":               {"filename_lookup"},
	"scheduler_tick":            {"sched_tick"},
	"smp_apic_timer_interrupt":  {"sysvec_apic_timer_interrupt", "__sysvec_apic_timer_interrupt"},
	"sock_aio_read":             {"sock_read_iter"},
	"sock_aio_write":            {"sock_write_iter"},
	"split_huge_page":           {"split_huge_page_to_list_to_order", "split_huge_page_to_list"},
	"tcp_transmit_skb":          {"__tcp_transmit_skb"},
	"vfs_getattr_nosec":         {"vfs_getattr"},
	"vfs_stat":                  {"vfs_fstatat", "vfs_statx"},
	"wait_on_page_bit":          {"folio_wait_bit", "folio_wait_bit_common"},
}

// gone are functions in aliases of the tapset library that kernels no longer have and that have no
// successor: the version since which they are gone, and similar ones.
var gone = map[string]string{
	"nfs_proc_read":  "since Linux 2.6.21 NFS does not wait for what it reads: nfs.proc.read_setup and nfs.proc.read_done are where a call begins and ends",
	"nfs_proc_write": "since Linux 2.6.21 NFS does not wait for what it writes: nfs.proc.write_setup and nfs.proc.write_done are where a call begins and ends",
	"nfsd_close":     "on Linux 4.2 to 5.3 no function alone closes a file of nfsd's; nfsd.open, nfsd.read and nfsd.write can be probed",
}

// callFunction matches the names that kernels have had for a system call's function; its group is the call's name.
var callFunction = lazyregexp.MustCompile(`^(?:[Ss]y[Ss]|compat_sys|stub)_([a-z]\w*)$`)

// successor returns the successor of a function that has been removed from the kernel, "" if it is not known.
func successor(name string, functions *symbols.Functions) string {
	if call := callFunction().FindStringSubmatch(name); call != nil && len(functions.Lookup("__x64_sys_"+call[1])) > 0 {
		return fmt.Sprintf("system calls are probed as syscall.%s; its function is __x64_sys_%[1]s now, which takes registers alone", call[1])
	}
	for _, other := range renamed[name] {
		if len(functions.Lookup(other)) > 0 {
			return fmt.Sprintf("in this kernel %s does its work", other)
		}
	}
	return gone[name]
}
