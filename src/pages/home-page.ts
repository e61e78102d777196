/** `/` for a person: what the service answers, what it is not, what each answer costs, and with which keys it signs. */
import type { Operation } from "../../schemas/operation.ts"
import { soldOperations } from "../discovery/sold.ts"
import { dataTable } from "./data-table.ts"
import { type Html, html } from "./html.ts"
import { operationPath } from "./page-paths.ts"

interface HomeContent {
  readonly baseUrl: string
  readonly operations: readonly Operation[]
  readonly keys: readonly PublicKey[]
  readonly environment: string
}

interface PublicKey {
  /** What the key signs, in words. */
  readonly use: string
  readonly keyId: string
  /** SHA-256 of the public key, as `bizauth init` prints it. */
  readonly fingerprint: string
}

export function homePage(content: HomeContent): Html {
  return html`<h1>Is it safe to pay this supplier?</h1>
<p class="lead">Autonomous agents ask before they pay: is the company real and unrestricted, are invoice and payee genuine, did the organization authorize the payment, has the bank detail changed? The answer is a signed decision with its evidence and the next action for a machine.</p>
${environmentNotice(content.environment)}<div class="notice" role="note">
<p><strong>This service never moves the payment.</strong>
An answer with status 200 is a delivery, not permission. Only its <code>machine_action</code> says what a machine may do, and only after its signature is verified.</p>
</div>
${products(content.operations)}
${calls(content.baseUrl)}
${keys(content.keys)}
<section aria-labelledby="more">
<h2 id="more">Look closer</h2>
<ul class="links">
<li><a href="/status"><span>Status</span> <small>Lists and registers with their age, payments, the log, what is switched on</small></a></li>
<li><a href="/verify"><span>Verify a document</span> <small>Checks a delivered answer in your browser, which sends nothing</small></a></li>
<li><a href="/docs"><span>Documentation</span> <small>How to buy, verify and operate; every route, error and reason</small></a></li>
<li><a href="/v1/openapi.json"><span>OpenAPI document</span> <small>The whole HTTP interface for a machine</small></a></li>
<li><a href="/llms.txt"><span>llms.txt</span> <small>The same in short, for a language model</small></a></li>
</ul>
</section>`
}

function environmentNotice(environment: string): Html {
  if (environment === "live") return html``
  return html`<div class="notice" role="note">
<p><strong>Environment: ${environment}.</strong> Nothing that this server signs decides about real money.</p>
</div>
`
}

function products(operations: readonly Operation[]): Html {
  const rows = soldOperations(operations).map(({ id, path, product, price, summary }) => [
    html`<a href="${operationPath(id)}">${summary}</a><br><code>${product.id}</code>`,
    html`${product.jurisdiction}`,
    html`${price.amount} ${price.asset}`,
    html`<a href="${path}/schema">schema</a> <a href="${path}/example">example</a>`,
  ])
  return html`<section aria-labelledby="products">
<h2 id="products">Answers and their prices</h2>
${dataTable("Price list", ["Answer", "For", "Price", "Body"], rows)}
<p>A quote is free and is bound to the body that was sent. Agent identities, free checks before a quote, and every document here cost nothing.</p>
</section>`
}

function calls(baseUrl: string): Html {
  return html`<section aria-labelledby="calls">
<h2 id="calls">How an agent buys</h2>
<ol class="steps">
<li><h3>Find out what is missing</h3>
<p>The free check names what a draft lacks, and refuses what would be wasted money.</p>
<code class="call">POST ${baseUrl}/v1/us/company-check/eligibility</code></li>
<li><h3>Ask, and get a quote</h3>
<p>Without a payment the route answers 402 with a price that is bound to this body (x402 version 2, USDC on Base).</p>
<code class="call">POST ${baseUrl}/v1/us/company-check</code></li>
<li><h3>Send the same body with a signed payment</h3>
<p>The agent gets the decision once the transfer cannot be undone. Repeating the call never pays twice.</p>
<code class="call">POST ${baseUrl}/v1/us/company-check
Payment-Signature: …</code></li>
</ol>
</section>`
}

function keys(rows: readonly PublicKey[]): Html {
  return html`<section aria-labelledby="keys">
<h2 id="keys">Keys of this service</h2>
<p>Compare each fingerprint with one that the operator published elsewhere. A page cannot prove its own keys.</p>
<dl>
${rows.map(
  ({ use, keyId, fingerprint }) => html`<div><dt>${use}</dt>
<dd><code>${keyId}</code><br>SHA-256 <code>${fingerprint}</code></dd></div>
`,
)}</dl>
<p><a href="/.well-known/jwks.json">All public keys (JWKS)</a></p>
</section>`
}
