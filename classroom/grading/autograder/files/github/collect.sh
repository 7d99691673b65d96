#!/usr/bin/env bash
# collect.sh ORGANIZATION ASSIGNMENT FOLDER: clones ORGANIZATION/ASSIGNMENT-LOGIN for every login into
# FOLDER/ASSIGNMENT-submissions, and writes FOLDER/times.csv with the time at which GitHub got the last push.
# Times of commits are the students' to set, and are not looked at. Needs gh, logged in, and git.
set -euo pipefail
organization=$1 assignment=$2 folder=$3
clones="$folder/$assignment-submissions"
mkdir -p "$clones"
echo "login,time" > "$folder/times.csv"
gh repo list "$organization" --limit 5000 --json name,pushedAt --jq '.[] | [.name, .pushedAt] | @tsv' |
    while IFS=$'\t' read -r name pushed; do
        case "$name" in "$assignment"-?*) ;; *) continue ;; esac
        case "$name" in *[!A-Za-z0-9._-]*) echo "left out: a repository with an odd name" >&2; continue ;; esac
        # no hooks, no filters, no submodules, no links: what is cloned is only read
        GIT_TERMINAL_PROMPT=0 git -c core.symlinks=false -c protocol.ext.allow=never -c core.hooksPath=/dev/null \
            -c filter.lfs.smudge= -c filter.lfs.required=false \
            clone --quiet --depth 1 --no-tags --no-recurse-submodules \
            "${CLONE_FROM:-https://github.com}/$organization/$name.git" "$clones/$name" </dev/null ||
            { echo "not cloned: $name" >&2; continue; }
        echo "${name#"$assignment"-},$pushed" >> "$folder/times.csv"
    done
