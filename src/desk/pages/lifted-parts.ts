/** What a judgement would lift, and what it would not. */
import { plainText } from "../../core/text/plain-text.ts"
import { dataTable } from "../../pages/data-table.ts"
import { type Html, html } from "../../pages/html.ts"
import type { ScreenedNeighbour } from "../../sources/screening/neighbours.ts"
import type { Lifted } from "../lifted.ts"
import { nameOf, partyDetails } from "../parts.ts"

const REACH_WORDS: Readonly<Record<ScreenedNeighbour["reach"], string>> = {
  LIFTED: "lifted",
  NOT_LIFTED: "not lifted",
  NO_HIT: "no hit in any case",
}

export function liftedParts({ party, questions, neighbours }: Lifted): Html {
  const ids = party.identifiers.map(({ scheme, value }) => `${scheme}:${value}`).join(", ")
  return html`<h2>What it lifts</h2>
<p>${
    questions.isLifted
      ? html`The next ${questions.products} answer about exactly ${nameOf(party.name)} with ${ids === "" ? "no identifier" : html`${nameOf(ids)} and no other identifier`}. It lifts no other question.`
      : html`No ${questions.products} answer: ${questions.differences.join("; ")}.`
  }</p>
${dataTable(
  "Parties near the judged one",
  ["What differs", "Asked", "This judgement"],
  neighbours.map(({ what, party: near, reach }) => [
    html`${what}`,
    nameOf(partyText(near)),
    html`${REACH_WORDS[reach]}`,
  ]),
)}
<p class="quiet">A claimed name is judged, and no bank account: the checks of the destination stay. Who owns the machine, ties that nobody declared, and one person under two names are not stopped here.</p>`
}

function partyText(party: ScreenedNeighbour["party"]): string {
  return [plainText(party.name), ...partyDetails(party)].join(", ")
}
