# First part of tools/demo.sh: WordNet's 117,659 synsets and 377,592 pointers, imported,
# closed, reopened, ranked, traversed, searched, mined, changed, looked at as they were
# before, and compared by vectors.
part "WordNet 3.0, a graph of concepts"
export PLEXUS_DB=wordnet
concept() { plexus find --keys --top 1 "$@"; }  # from a word to a key

step "Import: WordNet's database files in one go, the words of the glosses as terms"
shell 'plexus import --format wordnet --terms "$wordnet"'

step "Checkpoint: so that opening does not replay the log"
shell 'plexus checkpoint'

step "Reopen in a new process: what is in there, and what does it cost?"
shell 'plexus stats'

step "The concepts that matter most (PageRank)"
shell 'plexus pagerank --top 10 --names'

step "The same question as asked by music and mathematics (personalised PageRank)"
music=$(concept music) mathematics=$(concept mathematics)
shell 'plexus pagerank --seed $music=2 --seed $mathematics --top 12 --names'

step "Three hops out from dog, and from piano at half the weight; a hop keeps 70 %. Each score has its path"
dog=$(concept dog) piano=$(concept piano)
shell 'plexus traverse --from $dog --from $piano=0.5 --hops 3 --decay 0.7 --top 12 --paths --names'

step "How do you get from a dog to a piano?"
shell 'plexus path --from $dog --to $piano --direction both --names'

step "Search: which glosses answer best, and how much each word adds (BM25)"
shell 'plexus search "large dog that herds sheep" --top 6 --names'

step "What nobody has linked: pairs of concepts that share rare words, and which ones"
shell 'plexus frontier --mask linked --top 8 --names'

step "And three at a time"
shell 'plexus frontier --mask linked --arity 3 --top 5 --names'

step "Live append: a new concept, durable when the command returns, seen by the next query"
before=$(plexus stats --json | sed 's/.*"sequence":\([0-9]*\).*/\1/;q')
cat >news.jsonl <<JSON
{"node":"guide-dog-robot","kind":"concept","text":"guide dog robot\na robot that guides people as a guide dog does","tags":["new"]}
{"edge":["guide-dog-robot","$(concept 'guide dog')"],"kind":"similar","weight":0.9}
{"edge":["guide-dog-robot","$(concept robot)"],"kind":"is-a"}
JSON
shell 'plexus import --terms news.jsonl'
shell 'plexus neighbors guide-dog-robot --names'
shell 'plexus path --from guide-dog-robot --to $dog --direction both --names'

step "The past stays: the same question as of sequence $before"
shell "plexus get guide-dog-robot --as-of $before 2>&1 || echo 'exit code 3: not found, then'"
shell "plexus stats | head -2; plexus stats --as-of $before | head -2"
shell 'plexus history guide-dog-robot'

step "A picture of a neighbourhood"
shell 'plexus export --format dot --around $dog --hops 2 --limit 45 --output dog.dot; head -4 dog.dot'
if command -v dot >/dev/null; then
  shell 'dot -Kneato -Goverlap=prism -Gsplines=true -Gdpi=70 -Tpng dog.dot -o dog.png'
  mkdir -p "$root/build/demo"
  cp dog.dot dog.png "$root/build/demo/"
  echo "  kept as build/demo/dog.png"
else
  echo "  Graphviz is not installed: no PNG, but dog.dot is one dot -Tpng away from it"
fi

step "A vector for every gloss: tf-idf of its terms, projected to 128 dimensions"
shell 'plexus embed'

step "More like chess: by vectors alone, and then those first that hang together in the graph"
say "At 128 dimensions chance alone makes cosines of 0.09, now and then of 0.35 among so many" \
    "glosses; of the 100 nearest the graph knows which belong to each other."
chess=$(concept chess)
together 62 'plexus rerank --like $chess --k 100 --top 10 --names --graph-boost 0' \
  'plexus rerank --like $chess --k 100 --top 10 --names --graph-boost 0.5'

step "And is it all still sound?"
shell 'plexus verify'
