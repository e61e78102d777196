/** The invitation page for people. It is complete without style and images: headings, a list of two calls, a list of limitations, links. */
import type { AgentIdBootstrap } from "../../schemas/agent-id/descriptor.ts"
import { type Html, html } from "./html.ts"
import { pageLayout } from "./layout.ts"
import type { Site } from "./site.ts"

export interface InvitationContent {
  /** The offer of the invitation, exactly as an agent reads it. */
  readonly bootstrap: AgentIdBootstrap
  readonly limitations: readonly { readonly limitation: string; readonly meaning: string }[]
  /** Paths on this origin. */
  readonly claimPath: string
  readonly collectionPath: string
}

/** Builds the constant part once. The returned function takes the path of one invitation's bootstrap. */
export function invitationPage(site: Site, content: InvitationContent): (bootstrapPath: string) => string {
  const { name, promise, issuer } = content.bootstrap
  const page = pageLayout(site)
  const opening = html`${invited(content.bootstrap)}
${twoCalls(content.bootstrap)}
${limitations(content)}`
  return (bootstrapPath) =>
    page({
      title: `Invitation to ${name} from ${issuer}`,
      description: promise,
      json: { path: bootstrapPath, title: "This invitation for an agent" },
      main: html`${opening}
${documents(content, bootstrapPath)}
<p class="quiet">No record is kept of who opened this page.</p>`,
    })
}

function invited({ name, issuer, promise, description }: AgentIdBootstrap): Html {
  return html`<p class="quiet">${name} by ${issuer}</p>
<h1>${promise}</h1>
<p class="lead">${description}</p>
<div class="notice" role="note">
<p><strong>Opening this link verifies no payload.</strong>
The link was made when a signature was registered here. It does not show what was signed or by whom, and nothing about it was checked because you opened this page.</p>
</div>`
}

function twoCalls({ enrollment }: AgentIdBootstrap): Html {
  const { first_request: first, proof_request: proof } = enrollment
  return html`<section aria-labelledby="calls">
<h2 id="calls">Two calls, made by the agent</h2>
<ol class="steps">
<li>
<h3>Ask for a challenge</h3>
<p>Make two independent Ed25519 keys where the agent runs, one to work with and one for recovery. Send only the public halves.</p>
<code class="call">${first.method} ${first.uri}</code>
</li>
<li>
<h3>Prove both keys</h3>
<p>Sign the challenge with both private keys and send the two signatures. The answer is the identifier and its public profile.</p>
<code class="call">${proof.method} ${proof.uri_template}</code>
</li>
</ol>
<p>No private key leaves the agent. There is no login, no wallet and nothing to pay.</p>
</section>`
}

function limitations(content: InvitationContent): Html {
  const rows = content.limitations.map(
    ({ limitation, meaning }) => html`<div>
<dt><code>${limitation}</code></dt>
<dd>${meaning}</dd>
</div>
`,
  )
  return html`<section aria-labelledby="limitations">
<h2 id="limitations">What it proves, and what it does not</h2>
<p>Every answer about an identity repeats these seven limitations. Rely on nothing beyond them.</p>
<dl>
${rows}</dl>
</section>`
}

function documents({ claimPath, collectionPath }: InvitationContent, bootstrapPath: string): Html {
  return html`<nav aria-labelledby="documents">
<h2 id="documents">Hand it to your agent</h2>
<ul class="links">
<li><a href="${bootstrapPath}"><span>This invitation as JSON</span> <small>Everything an agent needs to enrol by itself</small></a></li>
<li><a href="${claimPath}"><span>The claim and its definitions</span> <small>What is proved, and how to check it without this service</small></a></li>
<li><a href="${collectionPath}"><span>Postman collection</span> <small>The same calls to try by hand; you sign on your own machine</small></a></li>
</ul>
</nav>`
}
