/** Which parties beside the judged one a judgement lifts, and which it does not, in words and as JSON. */
import type { ScreenedNeighbour } from "../../sources/screening/neighbours.ts"

const LISTS: readonly (readonly [ScreenedNeighbour["reach"], string])[] = [
  ["LIFTED", "lifted"],
  ["NOT_LIFTED", "not lifted"],
  ["NO_HIT", "no hit of this entry in any case"],
]

/** For people: a heading and its neighbours, for each list that has one. */
export function neighboursText(neighbours: readonly ScreenedNeighbour[]): readonly string[] {
  return LISTS.flatMap(([reach, heading]) => {
    const own = neighbours.filter((one) => one.reach === reach)
    return own.length === 0 ? [] : [`  ${heading}:`, ...own.map(neighbourText)]
  })
}

function neighbourText({ what, party, states: [without, including] }: ScreenedNeighbour): string {
  const ids = party.identifiers.map(({ scheme, value }) => `${scheme}:${value}`)
  const asked = [JSON.stringify(party.name), ...(party.type === null ? [] : [party.type]), ...ids, ...party.countries]
  const states = without === including ? without : `${without}, then ${including}`
  return `    ${what}: ${asked.join(" ")}: ${states}`
}

export function neighboursAsJson(neighbours: readonly ScreenedNeighbour[]) {
  return neighbours.map(({ what, reach, party, states: [without, including] }) => ({
    what,
    reach,
    query: {
      name: party.name,
      type: party.type,
      identifiers: party.identifiers,
      countries: party.countries,
      ...(party.birthDates && { birth_dates: party.birthDates }),
    },
    state_without: without,
    state: including,
  }))
}
