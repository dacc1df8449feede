#!/usr/bin/env bash
# A perf event that requests build-ids of mappings makes the kernel mark the same records of other events so.
#
# Software: Linux 6.18.44 (x86-64), perf 6.1 (Debian 12: linux-perf 6.1.192-3).
# Input: a program that two events observe. One has perf_event_attr.build_id, as `perf record --buildid-mmap` sets it;
#   the other has it not, as `perf record`.
# Behaviour: for a mapping the kernel sets PERF_RECORD_MISC_MMAP_BUILD_ID in a header that all observers of the mapping
#   share, and does not take it back for the next observer. Its record then has device and inode where the mark promises
#   a build-id, with 0 and more bytes as length.
# Seen: `perf record` of `perf record --buildid-mmap true` ends by SIGABRT ("stack smashing detected", or "buffer
#   overflow detected"), or its report does. With --buildid-mmap outside as well all is well.
# Who meets it: who runs perf on a profiler that requests build-ids; opcost does (guide/src/verbs/run.md).
#
# Needs perf and events of the kernel (perf_event_paranoid 2 or less). Installs nothing. Exit status 0: as described.
# 1: it behaves otherwise now. 2: no perf, or no events.
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
export HOME=$folder
perf record -q -o alone.data true > words 2>&1 || { echo "perf cannot record here: $(tail -n 1 words)" >&2; exit 2; }

# observe FLAGS: how perf ends that records a perf that requests build-ids, and then reports.
observe() {
  # shellcheck disable=SC2086
  perf record -q $1 -o outer.data perf record -q --buildid-mmap -o inner.data sh -c 'cat /proc/self/maps > maps' > words 2>&1
  local recorded=$?
  perf report -i outer.data --stdio > report 2>> words
  local reported=$?
  echo "perf record $1: status $recorded, report: status $reported; $(grep -ao '[a-z ]* detected' words | sort -u | paste -sd,)"
  [[ $recorded -lt 128 && $reported -lt 128 ]]
}

status=0
observe '' && { echo "  expected: a signal ends perf" >&2; status=1; }
observe '--buildid-mmap' || { echo "  expected: no signal" >&2; status=1; }
exit $status
