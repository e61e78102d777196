/** Maps the consonants of a word to sound classes, so that `Qadhafi`, `Gaddafi` and `Kazafy` match. */

export const DIGRAPHS: readonly (readonly [RegExp, string])[] = [
  [/tsch|tch/g, "C"],
  [/shch/g, "S"],
  [/sch|sh/g, "s"],
  [/ch/g, "C"],
  [/dzh|dj/g, "j"],
  [/zh/g, "z"],
  [/kh/g, "h"],
  [/gh/g, "g"],
  [/ph/g, "f"],
  [/th/g, "t"],
  [/dh/g, "d"],
  [/ck|qu/g, "k"],
  [/ts|tz|cz/g, "s"],
  [/x/g, "ks"],
]
export const SOUND_CLASS: Readonly<Record<string, string>> = {
  c: "k",
  q: "k",
  g: "k",
  w: "v",
  f: "v",
  z: "s",
  d: "t",
  C: "c",
}
const SILENT = new Set("aeiouyh")
const HAS_DIGRAPH = /[hjxqz]|ck|ts/

export function consonantSkeleton(word: string): string {
  let sounds = word
  if (HAS_DIGRAPH.test(word)) for (const [letters, sound] of DIGRAPHS) sounds = sounds.replace(letters, sound)
  let out = ""
  for (let at = 0; at < sounds.length; at++) {
    const letter = sounds[at]!
    const sound = SILENT.has(letter) ? (at === 0 && letter !== "h" ? "A" : "") : (SOUND_CLASS[letter] ?? letter)
    if (sound !== "" && !out.endsWith(sound)) out += sound
  }
  return out
}
