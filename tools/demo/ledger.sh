# Second part of tools/demo.sh: what an agent that looks after a payout service remembers
# of three weeks in March 2026: facts, decisions, turns, concepts, what was used together
# and what came of it. Each week is a file of JSON lines, imported at that week's end.
part "An agent's memory: three weeks with a payout service"
export PLEXUS_DB=memory
cp "$root"/tools/demo/ledger/week?.jsonl .
today='--now 2026-03-23'

step "Three of the 463 lines: a decision's edge, what was used together, what came of it"
shell "grep -e '\"d07-backoff\",\"d04' -e '\"event\":\"c08\"' -e '\"outcome\":\"c08\"' week2.jsonl | cut -c1-150"

step "Import, week by week, as it came"
shell 'plexus import --terms week1.jsonl --now 2026-03-09'
shell 'plexus import --terms week2.jsonl --now 2026-03-16'
shell 'plexus import --terms week3.jsonl --now 2026-03-23'
shell 'plexus stats | head -28'

step "What superseded what: asked today, only the head of a chain answers"
together 76 'plexus search retries --kinds memory,decision $today' \
  'plexus search retries --kinds memory,decision --include-superseded $today'
shell 'plexus traverse --from retry-jitter --kinds supersedes --include-superseded --paths'

step "The past answers as it would have answered then"
for day in 10 17 24; do
  shell "plexus search 'settlement worker retries' --kinds memory --top 1 --names --as-of 2026-03-$day"
done

step "Why was a refund booked twice? Two hops of evidence and causes, each with its path"
shell 'plexus traverse --from half-refund --hops 2 --direction both --decay 0.8 --kinds supports,causes,derived_from,refines,depends_on --paths --top 8 $today'

step "Contradictions are shown, never settled by themselves; a word of yours settles one"
shell 'plexus conflicts $today'
shell 'plexus conflicts resolve key-48h key-measured --supersede key-48h --note "measured" $today'
remembered='plexus recall "hours that a key is remembered" --node-kinds memory --top 3'
together 76 "$remembered --as-of 3" "$remembered \$today"

step "What 'payout' brings to mind has faded for a week; recalled it is close again, and fades within a day"
shell 'plexus concept recall payout --hops 1 --top 3 $today'
together 76 'plexus concept recall payout --hops 1 --top 3 --dry-run $today' \
  'plexus concept recall payout --hops 1 --top 3 --dry-run --now 2026-03-24'

step "A plan that waits for another one: what holds it up, and where that begins"
cat >plan.jsonl <<'JSON'
{"node":"d16-hourly-check","kind":"decision","text":"Compare the ledger with the bank's statement every hour."}
{"edge":["d16-hourly-check","d09-nightly-check"],"kind":"depends_on"}
{"edge":["d13-push-flags","d09-nightly-check"],"kind":"blocks"}
JSON
shell 'cat plan.jsonl; plexus import plan.jsonl $today | head -3'
shell 'plexus decisions blocked $today'

step "A rule that a proposal breaks: it says which and why, and nothing is written"
cat >rules.json <<'JSON'
[{"name": "no-contradict-high-salience", "does": "links", "edge": "contradicts", "side": "target",
  "target": {"active": true, "salience_above": 0.7},
  "action": "block", "message": "This contradicts {target}. Supersede it first."}]
JSON
cat >broker.jsonl <<'JSON'
{"node":"d17-broker","kind":"decision","text":"Move the queue out of PostgreSQL, to a broker."}
{"edge":["d17-broker","d01-postgres-queue"],"kind":"contradicts"}
JSON
shell 'cat rules.json broker.jsonl'
shell 'plexus decisions check --rules rules.json --proposal broker.jsonl || echo "exit code $?"'

step "What somebody should look at next"
shell 'plexus decisions queue --top 5 $today'

step "What did the old certificate hold up on 16 March, and what does it today? (valid times of edges)"
together 76 'plexus bfs --from d14-new-certificate --kinds blocks --valid-at 2026-03-16T16:00' \
  'plexus bfs --from d14-new-certificate --kinds blocks --valid-at 2026-03-23'

step "Where the double payout was used, and what came of that"
shell 'plexus traverse --from double-payout --kinds member,labels --direction in --hops 2 --paths $today'
shell 'plexus neighbors event:c15'

step "What was never put together although it shares tags and files"
shell 'plexus frontier --mask linked --kinds has_tag,mentions --top 5 $today'
shell 'plexus frontier --mask events --kinds has_tag,mentions --arity 3 --top 3 $today'

step "Somebody tries the first pair: the ledger remembers, and it is no candidate any more"
pair=$(plexus frontier --mask linked --kinds has_tag,mentions --top 1 --json $today |
  sed 's/.*"ids":\["\([^"]*\)","\([^"]*\)"\].*/\1 \2/')
cat >tried.jsonl <<JSON
{"event":"c19","tool":"bounty","query":"what if these two are put together","members":[{"id":"${pair% *}","role":"primary"},{"id":"${pair#* }","role":"supporting"}]}
{"outcome":"c19","type":"submitted","source":"user","notes":"Worth a look."}
JSON
shell 'plexus import tried.jsonl $today'
shell 'plexus frontier --mask linked --kinds has_tag,mentions --top 2 $today'

step "Like the refund: by the vectors of the words, and then by how the candidates hang together"
shell 'plexus embed $today'
together 76 'plexus rerank --like half-refund --k 20 --top 6 --graph-boost 0 $today' \
  'plexus rerank --like half-refund --k 20 --top 6 --graph-boost 0.5 $today'

step "Where dependencies, evidence and causes lead (PageRank)"
shell 'plexus pagerank --kinds depends_on,refines,supports,causes --top 6'

step "The same for people: an event in the explorer, one visit by a browser that makes a picture of it"
browser=${CHROMIUM:-$(command -v chromium || true)}
if [[ -z $browser ]]; then
  say "left out: there is no Chromium here"
else
  plexus explore --once --port 0 >visit.log 2>&1 &
  visit=$!
  until page=$(grep -o 'http://[0-9.:]*' visit.log) || ! kill -0 "$visit" 2>/dev/null; do sleep 0.1; done
  if [[ -z $page ]]; then
    say "left out: $(tail -n 1 visit.log)"
    wait "$visit" || true
  else
    view='{"nodes":[],"start":"ledger","event":{"id":"c17","query":"why was a refund booked twice"}}'
    printf '%s$ plexus explore --once --port 0 &%s\n' "$dim" "$plain"
    shell 'timeout 60 "$browser" --headless --no-sandbox --hide-scrollbars --window-size=1400,850 --virtual-time-budget=20000 --screenshot=explorer.png "$page/#$view" 2>/dev/null || true; ls -s --block-size=1 explorer.png || true'
    kill "$visit" 2>/dev/null || true  # it has ended, if the page was opened
    wait "$visit" || true
  fi
fi

step "Text out, text in, text out: the same bytes"
shell 'plexus export --format jsonl --output once.jsonl; plexus import --db copy once.jsonl'
shell 'plexus export --db copy --format jsonl --output twice.jsonl; cmp once.jsonl twice.jsonl && wc -lc once.jsonl'
shell 'plexus verify'
