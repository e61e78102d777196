/** `/status` for a person: what can be sold now and why not, the age of every source, payments, the log, and what is switched on. */

import type { Reason } from "../base/readiness.ts"
import { instant } from "../core/time.ts"
import type { RegisterState } from "../sources/boards/register-board.ts"
import { saleLimit, soldWith } from "../sources/boards/sellable.ts"
import type { SourceState } from "../sources/boards/source-board.ts"
import { dataTable } from "./data-table.ts"
import { dayOf, durationWords } from "./duration-words.ts"
import { type Html, html } from "./html.ts"
import { operationPath, problemPath } from "./page-paths.ts"

export interface StatusContent {
  /** RFC 3339. */
  readonly asOf: string
  readonly version: string
  readonly environment: string
  /** Why nothing is quoted now. Empty if the service is ready. */
  readonly reasons: readonly Reason[]
  readonly products: readonly ProductStatus[]
  readonly lists: readonly SourceState[]
  readonly registers: readonly RegisterState[]
  /** Null when payments are off. */
  readonly network: string | null
  readonly log: LogStatus
  readonly switches: readonly Switch[]
}

interface ProductStatus {
  readonly operationId: string
  readonly productId: string
  readonly summary: string
  /** Code of the refusal; null if it is sold now. */
  readonly whyNot: string | null
}

interface LogStatus {
  readonly origin: string
  readonly size: number
  /** Hexadecimal. */
  readonly rootHash: string
  readonly earlierOrigins: readonly string[]
}

export interface Switch {
  readonly name: string
  readonly isOn: boolean
}

/** A list and a register in one table. */
type Source = SourceState | RegisterState

export function statusPage(content: StatusContent): Html {
  return html`<h1>Status</h1>
<p class="quiet">Environment ${content.environment}, version ${content.version}, as of <time datetime="${content.asOf}">${content.asOf}</time>.</p>
${readiness(content.reasons)}
${products(content.products)}
${sources("Lists", "The restricted-party lists that answers screen.", content.lists, content.asOf)}
${sources("Registers", "Company registers. An answer says which of them it used.", content.registers, content.asOf)}
${payments(content.network)}
${log(content.log)}
${switches(content.switches)}
<p>The same for machines: <a href="/readyz">readiness</a>, <a href="/v1/us/federal/source-health">source health</a>, <a href="/v1/agent/capabilities">what is sold now</a>.</p>`
}

function readiness(reasons: readonly Reason[]): Html {
  if (reasons.length === 0) return html`<p class="lead"><span class="good">Ready.</span> The service can take work.</p>`
  return html`<div class="notice" role="note">
<p><strong>Not ready.</strong> Nothing is quoted, and nobody is charged.</p>
${reasons.map(
  ({ code, detail }) => html`<p><a href="/docs/runbook#${code.toLowerCase()}"><code>${code}</code></a> ${detail}</p>
`,
)}</div>`
}

function products(rows: readonly ProductStatus[]): Html {
  const cells = rows.map(({ operationId, productId, summary, whyNot }) => [
    html`<a href="${operationPath(operationId)}">${summary}</a><br><code>${productId}</code>`,
    whyNot === null
      ? html`<span class="good">yes</span>`
      : html`<span class="bad">no</span> <a href="${problemPath(whyNot)}"><code>${whyNot}</code></a>`,
  ])
  return html`<h2 id="products">Sold now</h2>
${dataTable("Products sold now", ["Answer", "Sold now"], cells)}`
}

function sources(title: string, lead: string, states: readonly Source[], asOf: string): Html {
  const now = instant(asOf)
  return html`<h2>${title}</h2>
<p>${lead} Ages are computed for this page.</p>
${dataTable(
  title,
  ["Source", "State", "Published", "Checked with its publisher", "Stale", "Entries"],
  states.map((state) => sourceRow(state, now)),
)}`
}

function sourceRow(state: Source, now: number): Html[] {
  const { sourceId, health, freshness, snapshot, checkedAt, staleAt, reasonCodes, isAccepted } = state
  const limit = saleLimit(soldWith(state, now))
  return [
    html`<code>${sourceId}</code>`,
    html`<span class="${limit === null ? "good" : "bad"}">${health}</span>${freshness === "AGING" ? html` AGING` : html``}${
      isAccepted ? html` accepted by the operator` : html``
    }${limit === null ? html`` : html`<br>${limit}`}${reasonCodes.map((code) => html`<br><code>${code}</code>`)}`,
    snapshot?.publishedAt == null
      ? html`${snapshot === null ? "never imported" : "unknown"}`
      : html`${dayOf(snapshot.publishedAt)}<br><span class="quiet">${durationWords(now - instant(snapshot.publishedAt))} ago, from ${snapshot.publishedFrom ?? "unknown"}</span>`,
    checkedAt === null
      ? html`never`
      : html`${dayOf(checkedAt)}<br><span class="quiet">${durationWords(now - instant(checkedAt))} ago</span>`,
    staleAt === null ? html`now` : html`${staleWords(instant(staleAt) - now)}`,
    html`${snapshot === null ? "0" : snapshot.entries.toLocaleString("en-US")}`,
  ]
}

function staleWords(untilMs: number): string {
  return untilMs > 0 ? `in ${durationWords(untilMs)}` : `since ${durationWords(-untilMs)}`
}

function payments(network: string | null): Html {
  return html`<h2>Payments</h2>
<p>${
    network === null
      ? html`Payments are off. Free routes answer; nothing is sold.`
      : html`Payments are on: USDC on <code>${network}</code>. An answer is given when the transfer is in a safe block.`
  }</p>`
}

function log({ origin, size, rootHash, earlierOrigins }: LogStatus): Html {
  return html`<h2>Transparency log</h2>
<dl>
<div><dt>Name</dt><dd><code>${origin}</code></dd></div>
<div><dt>Entries</dt><dd>${size.toLocaleString("en-US")}</dd></div>
<div><dt>Root hash</dt><dd><code>${rootHash}</code></dd></div>
${earlierOrigins.map(
  (name) => html`<div><dt>Earlier name</dt><dd><code>${name}</code></dd></div>
`,
)}</dl>
<p><a href="/v1/agent-id/log/checkpoint">The signed checkpoint</a></p>`
}

function switches(rows: readonly Switch[]): Html {
  const cells = rows.map(({ name, isOn }) => [html`${name}`, html`${isOn ? "on" : "off"}`])
  return html`<h2>Switched on</h2>
${dataTable("What is switched on", ["Part", "State"], cells)}`
}
