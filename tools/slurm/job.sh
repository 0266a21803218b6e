# SPDX-License-Identifier: BSD-3-Clause
# What the batch scripts beside it share; see docs/slurm.md. Settings, from the environment (sbatch passes it on):
#   KROSSFOLD           the program (default: that of the installation which this file is part of, else krossfold in PATH)
#   KROSSFOLD_LAUNCH    how ranks are started (default: srun with PMIx; "mpirun" works too)
#   KROSSFOLD_RESTARTS  how often an unfinished study is started again (default: 20)
#   KROSSFOLD_DOCTOR    "no" begins the study without krossfold doctor
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
krossfold=krossfold
if [[ $here == */share/krossfold/tools/slurm ]]; then krossfold=${here%/share/krossfold/tools/slurm}/bin/krossfold; fi
krossfold=${KROSSFOLD:-$krossfold}
read -ra launch <<<"${KROSSFOLD_LAUNCH:-srun --mpi=pmix --kill-on-bad-exit=1}"
most_restarts=${KROSSFOLD_RESTARTS:-20}
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}

# Slurm sends USR2 to this shell alone (--signal=B:USR2@...). Without the trap it would end the shell, and with it the job.
step='' signals=0
trap 'signals=$((signals + 1)); if [[ -n $step ]]; then kill -USR2 "$step" 2>/dev/null; fi' USR2

# The result file among the options of a study.
output_of() {
  while (($# > 0)); do
    case $1 in
      -o | --output) echo "${2-}"; return ;;
      --output=*) echo "${1#*=}"; return ;;
      -o?*) echo "${1#-o}"; return ;;
    esac
    shift
  done
}

# The options of a study with another result file, in the array `arguments`: with_output FILE OPTIONS...
with_output() {
  local file=$1
  shift
  arguments=()
  while (($# > 0)); do
    case $1 in
      -o | --output) shift ;;
      --output=* | -o?*) ;;
      *) arguments+=("$1") ;;
    esac
    if (($# > 0)); then shift; fi
  done
  arguments+=(-o "$file")
}

# "finished", "stopped", "running" (killed on its way), or "" without a readable result file.
status_of() { if [[ -e $1 ]]; then "$krossfold" report --status "$1"; fi; }

# examine OPTIONS...: krossfold doctor on all ranks, with the output of a study. Prints what is not ok; false if something is wrong, so
# that the job ends before it takes its hours.
examine() {
  local output
  output=$(output_of "$@")
  if [[ ${KROSSFOLD_DOCTOR-} == no ]]; then return 0; fi
  "${launch[@]}" "$krossfold" doctor --quiet ${output:+--output "$output"}
  if (($? != 1)); then return 0; fi
  echo "job $SLURM_JOB_ID: the study was not begun: krossfold doctor found something wrong, or could not start (KROSSFOLD_DOCTOR=no: begin anyway)"
  return 1
}

# run_step COMMAND...: a command that gets the job's signals, to its end. Sets `code`, its exit code.
run_step() {
  local before
  "$@" &
  step=$!
  while true; do  # a signal ends `wait` before the step has ended
    before=$signals
    wait "$step"
    code=$?
    if ((signals == before)); then break; fi
  done
  step=''
}

# run_study OPTIONS...: the study on all ranks, if the doctor finds nothing wrong. Sets `code`, its exit code, and `status`. srun and mpirun pass USR2 on to
# every rank; Krossfold then writes its result file and exits with 75. (Not TERM: mpirun kills its ranks a second after it.)
run_study() {
  code=75
  if ! examine "$@"; then
    code=1
  elif ((signals == 0)); then
    run_step "${launch[@]}" "$krossfold" "$@"
  fi
  status=$(status_of "$(output_of "$@")")
  # srun may end with 0 though the ranks never started.
  if ((code == 0)) && [[ $status != finished && -n $(output_of "$@") && " $* " != *" --dry-run "* ]]; then code=75; fi
  echo "job $SLURM_JOB_ID: exit code $code, study ${status:-not begun}"
}

# True if starting again goes on with the study: it was stopped, or killed (by a signal: codes above 128; also by the USR2 that
# reaches ranks which are just starting), or its ranks never started. An error of options, data or file system would only come again.
can_go_on() { [[ $status != finished ]] && ((code == 75 || (code > 128 && (${#status} > 0 || signals > 0)))); }

# Ends the job: puts it back into the queue if the study can go on and has not been restarted too often.
requeue_or_exit() {
  if [[ $status == finished ]] || ! can_go_on; then exit "$code"; fi
  if ((${SLURM_RESTART_COUNT:-0} >= most_restarts)); then
    echo "not requeued: this was restart number ${SLURM_RESTART_COUNT:-0} (KROSSFOLD_RESTARTS=$most_restarts)" >&2
    exit "$code"
  fi
  # The last task of an array has the job number of the whole array, whose requeue would begin finished tasks again.
  local job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID-}}
  if ! scontrol requeue "${job:-$SLURM_JOB_ID}"; then
    echo "this site does not let jobs requeue themselves: submit again, or use tools/slurm/chain.sbatch" >&2
    exit "$code"
  fi
  sleep 60  # Slurm ends this shell
  exit "$code"
}
