/**
 * Names the known route that a mistyped path most resembles, segment by segment. Anyone may send any path, so its length is bounded, and
 * two words are compared letter by letter only if their letters could agree.
 */
import { editDistance } from "../core/nearest.ts"

interface Route {
  readonly method: string
  /** Segments `:name`, `{name}` and `*` match any text. */
  readonly path: string
}

/** Longer paths resemble no route. */
const PATH_CHARACTERS_MAX = 128
const SEGMENTS_MAX = 8

/** Costs of the differences between a typed path and a route. */
const OTHER_WORD = 1
const EXTRA_SEGMENT = 1
/** A path without its prefix names its route better than a path with another word does. */
const MISSING_SEGMENT = 0.3
/** A parameter matches any text, but a route with the very word is nearer. */
const PARAMETER = 0.25
/** `jwks` for `jwks.json`. */
const WITHOUT_EXTENSION = 0.1
/** Decides between routes of equal and of nearly equal paths. */
const OTHER_METHOD = 0.05

interface Template {
  readonly route: Route
  /** Places in the list of words; -1 for a parameter. */
  readonly words: readonly number[]
}

interface Word {
  readonly text: string
  readonly letters: number
}

export class NearestRoute {
  private readonly templates: readonly Template[]
  private readonly words: Word[] = []
  private readonly places = new Map<string, number>()
  /** Cost of each typed segment (row) against each word. Used again by each call. */
  private readonly costs: Float64Array[]
  /** 1 for a word that a typed segment resembles. */
  private readonly resembled: Uint8Array

  constructor(routes: readonly Route[]) {
    this.templates = routes.map((route) => ({
      route,
      words: segmentsOf(route.path).map((text) => (/^[:{*]/.test(text) ? -1 : this.placeOf(text.toLowerCase()))),
    }))
    this.costs = Array.from({ length: SEGMENTS_MAX }, () => new Float64Array(this.words.length))
    this.resembled = new Uint8Array(this.words.length)
  }

  /** Returns null if no word of the path resembles one of any route. */
  find(method: string, path: string): Route | null {
    if (path.length > PATH_CHARACTERS_MAX) return null
    const typed = segmentsOf(path.toLowerCase())
    if (typed.length > SEGMENTS_MAX) return null
    this.resembled.fill(0)
    for (const [i, text] of typed.entries()) this.compare(text, this.costs[i] ?? new Float64Array(0))
    // A path that shares nothing with a route costs this much.
    let least = typed.length * OTHER_WORD
    let best: Route | null = null
    for (const { route, words } of this.templates) {
      if (!words.some((place) => this.resembled[place] === 1)) continue
      const cost = this.alignment(typed.length, words) + (route.method === method ? 0 : OTHER_METHOD)
      if (cost < least) {
        least = cost
        best = route
      }
    }
    return best
  }

  private placeOf(text: string): number {
    const place = this.places.get(text) ?? this.words.push({ text, letters: lettersOf(text) }) - 1
    this.places.set(text, place)
    return place
  }

  /** Fills in the cost of one typed segment against each word. A known word is no typing error of another one. */
  private compare(text: string, costs: Float64Array): void {
    costs.fill(OTHER_WORD)
    const same = this.places.get(text)
    if (same !== undefined) {
      costs[same] = 0
      this.resembled[same] = 1
      return
    }
    const letters = lettersOf(text)
    for (const [place, word] of this.words.entries()) {
      if (word.text.startsWith(`${text}.`)) {
        costs[place] = WITHOUT_EXTENSION
        this.resembled[place] = 1
        continue
      }
      const longest = Math.max(text.length, word.text.length)
      const most = Math.max(1, Math.floor(longest / 4))
      if (Math.abs(text.length - word.text.length) > most) continue
      // One edit takes at most one letter from either set.
      if (bits(letters & ~word.letters) > most || bits(word.letters & ~letters) > most) continue
      const edits = editDistance(text, word.text)
      if (edits > most) continue
      costs[place] = edits / longest
      this.resembled[place] = 1
    }
  }

  /** The least cost of making the typed segments into the template, by words replaced, left out and added. */
  private alignment(typed: number, words: readonly number[]): number {
    let row = words.map((_, j) => (j + 1) * MISSING_SEGMENT)
    let before = 0
    for (let i = 0; i < typed; i++) {
      const costs = this.costs[i]
      const next: number[] = []
      let left = (i + 1) * EXTRA_SEGMENT
      let corner = before
      before = left
      for (let j = 0; j < words.length; j++) {
        const place = words[j] ?? -1
        const replaced = corner + (place < 0 ? PARAMETER : (costs?.[place] ?? OTHER_WORD))
        corner = row[j] ?? 0
        left = Math.min(replaced, corner + EXTRA_SEGMENT, left + MISSING_SEGMENT)
        next.push(left)
      }
      row = next
    }
    return row.at(-1) ?? before
  }
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "")
}

/** The set of characters of a text, as bits. Several characters share a bit. */
function lettersOf(text: string): number {
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31)
  return letters
}

function bits(set: number): number {
  let count = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) count++
  return count
}
