/**
 * `bun scripts/register-words.ts FOLDER`: writes `src/sources/screening/words/register-words.ts` from the names of firms in GLEIF's register
 * (CC0). `bench/screening/register-firms.ts` says how to make the folder. It counts one half of the firms, so that the other half can
 * measure what the words are good for. Run it by hand; the register is not part of the repository.
 */

import { foldName } from "../src/sources/screening/fold.ts"
import { nameForm } from "../src/sources/screening/name-form.ts"
import { isDev } from "./bench/screening/name-variants.ts"
import { registerFirms } from "./bench/screening/register-firms.ts"

const OUT = "src/sources/screening/words/register-words.ts"
/** A word of fewer firms is rare. */
const FIRMS_MIN = 8

const firms = registerFirms(process.argv[2])?.filter(({ name }) => isDev(name))
if (!firms) {
  console.error("usage: bun scripts/register-words.ts FOLDER")
  process.exit(2)
}
const firmsWith = new Map<string, number>()
for (const { name } of firms) {
  const { readings, problems } = foldName(name)
  if (problems.length > 0) continue
  for (const word of new Set(nameForm(readings[0] ?? "", "org").tokens))
    if (/^[a-z]{2,}$/.test(word)) firmsWith.set(word, (firmsWith.get(word) ?? 0) + 1)
}
const bitsOf = (count: number): number => Math.floor(Math.log2(firms.length / count))
const rows = Map.groupBy(
  [...firmsWith].filter(([, count]) => count >= FIRMS_MIN).map(([word, count]) => ({ word, bits: bitsOf(count) })),
  ({ bits }) => bits,
)
const lines = [...rows]
  .sort(([a], [b]) => a - b)
  .map(
    ([bits, words]) =>
      `  ${bits}: "${words
        .map(({ word }) => word)
        .sort()
        .join(" ")}",\n`,
  )
await Bun.write(
  OUT,
  `/**
 * Words by how few firms carry them: n means that one firm of 2^n to 2^(n+1) has the word in its name. Counted over ${firms.length.toLocaleString("en")} firms of
 * GLEIF's register (CC0). A word of fewer than ${FIRMS_MIN} firms is not here. Written by \`scripts/register-words.ts\`; not edited by hand.
 */
${"export"} const REGISTER_WORDS: Readonly<Record<number, string>> = {
${lines.join("")}}
`,
)
console.log(
  `${OUT}: ${[...rows.values()].reduce((sum, words) => sum + words.length, 0)} words of ${firms.length} firms`,
)
