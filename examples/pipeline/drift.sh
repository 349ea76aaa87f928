#!/usr/bin/env bash
# Looks for drift without any CI. Cron mails what a job prints, so this prints nothing while the platform and the stack agree:
#
#   17 3 * * * . /etc/shop/secrets && /srv/shop/drift.sh prod
#
# The file of secrets, which only its owner may read, exports PGCOMPUTE_API_KEY and what Pulumi needs. Ends with 5 for drift.
set -euo pipefail
stack=${1:?give the stack, such as prod}
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A refresh that fails leaves its reasons in the plan.
PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true pulumi refresh --stack "$stack" --preview-only --json --non-interactive \
  > "$work/plan.json" 2> "$work/said" || true
code=0
npx --no-install pgcompute review "$work/plan.json" --drift --live --out "$work/drift.md" >> "$work/said" 2>&1 || code=$?
case "$code" in
  0) ;;
  5) cat "$work/drift.md" ;;
  *) cat "$work/said" ;;
esac
exit "$code"
