#!/bin/sh
# judge.sh LIMIT INPUT ANSWER SUBMISSION...: one line for each submission.
limit=$1 input=$2 answer=$3
shift 3
for submission; do
  output=$(opcost fuel --sandbox --limit "$limit" --json verdict.json "$submission" 2>messages.txt <"$input")
  verdict=$(jq -r .verdict verdict.json)
  if [ "$verdict" = finished ] && [ "$output" != "$(cat "$answer")" ]; then verdict=wrong; fi
  printf '%-12s %-10s %9d instructions\n' "$submission" "$verdict" "$(jq .spent verdict.json)"
done
