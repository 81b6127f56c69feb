#!/bin/bash
# Loops of `link` and `import` beside loops of `get`, `search`, `neighbors`, `verify` and
# `backup`, all on one graph, until READS reads are done. Prints the counts. Fails when a
# read or write ends with another exit code than 0, or a read misses what was acknowledged
# before it began.
#
#   beside_a_writer.sh PLEXUS [READS=15000] [DIRECTORY]
set -u
plexus=$1 reads=${2:-15000} work=${3:-$(mktemp -d)}
mkdir -p "$work" && cd "$work" || exit 1
rm -rf g counts stop failures && mkdir counts
say() { echo "$*" >> failures; touch stop; }
export PLEXUS_DB=g

echo 0 > acked
printf '{"node":"memory0","kind":"memory","text":"engine of words"}\n{"edge":["memory0","w0"],"kind":"supports"}\n' > batch.jsonl
"$plexus" import --quiet --terms batch.jsonl > /dev/null || exit 1

linker() {
  local i=0
  while [ ! -e stop ]; do
    i=$((i + 1))
    "$plexus" link "w$i" supports memory0 --quiet --wait 60 > /dev/null 2> err.link || say "link $i: exit $?: $(cat err.link)"
    echo $i > acked.new && mv acked.new acked
  done
  echo $i > counts/links
}

importer() {
  local i=0
  while [ ! -e stop ]; do
    i=$((i + 1))
    for k in 1 2 3 4 5 6 7 8; do
      echo "{\"node\":\"m$i.$k\",\"kind\":\"memory\",\"text\":\"batch $i line $k\"}"
      echo "{\"edge\":[\"m$i.$k\",\"memory0\"],\"kind\":\"derived_from\"}"
    done | "$plexus" import --format jsonl - --quiet --wait 60 > /dev/null 2> err.import || say "import $i: exit $?: $(cat err.import)"
  done
  echo $i > counts/imports
}

# reader NAME COUNT: its share of the reads.
reader() {
  local name=$1 count=$2 i=0 acked code
  while [ $i -lt "$count" ] && [ ! -e stop ]; do
    i=$((i + 1))
    acked=$(cat acked)
    case $name in
      get*) "$plexus" get "w$acked" --quiet > /dev/null 2> "err.$name" ;;
      neighbors*) "$plexus" neighbors "w$acked" --quiet 2> "err.$name" | grep -q memory0 ;;
      search) "$plexus" search engine --quiet > /dev/null 2> "err.$name" ;;
      quick) "$plexus" verify --quick > /dev/null 2> "err.$name" ;;
      verify) "$plexus" verify > /dev/null 2> "err.$name" ;;
      backup) "$plexus" backup --to copy --quiet > /dev/null 2> "err.$name" && rm -r copy ;;
    esac
    code=$?
    [ $code = 0 ] || say "$name $i after w$acked: exit $code: $(cat "err.$name")"
  done
  echo $i > "counts/$name"
}

linker & writers=$!
importer & writers="$writers $!"
sleep 0.5  # so that the first link is there
readers=""
for share in get:40 neighbors:25 search:15 quick:14 verify:4 backup:2; do
  reader "${share%:*}" $((reads * ${share#*:} / 100)) & readers="$readers $!"
done
wait $readers
touch stop
wait $writers
"$plexus" verify > last || say "at the end: $(cat last)"
for count in counts/*; do echo "$(basename "$count"): $(cat "$count")"; done
[ -e failures ] && { echo FAILED; head -20 failures; exit 1; }
echo "no false alarm, every acknowledged link seen"
