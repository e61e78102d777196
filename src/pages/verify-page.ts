/** `/verify`: the form of the page and the empty result, which its script fills. Without a script it shows the command. */

import { type Html, html } from "./html.ts"
import { fileId, ID, pasteId, textId } from "./verify/element-ids.ts"
import { type FileField, MAIN_FILES, MORE_FILES, TEXTS, type TextField } from "./verify/fields.ts"

interface VerifyContent {
  readonly issuerName: string
  readonly baseUrl: string
  /** The published keys of this server, as JSON. */
  readonly jwks: string
}

export function verifyPage(content: VerifyContent): Html {
  return html`<h1>Verify a document</h1>
<p class="lead">Is it genuine, is it current, and what does it permit? This page checks what the service signed, in your browser. It sends nothing: its policy forbids every connection.</p>
<div class="notice" id="${ID.noScript}"><p><strong>The script of this page does not run.</strong> It needs JavaScript and a browser of 2024 or later. The command makes the same checks:</p>
<pre>bizauth verify ./document.json --issuer ./issuer.jwks.json</pre></div>
<form id="${ID.form}" aria-label="What to verify" hidden>
<p><label for="${ID.anyFiles}">All files at once</label>
<input type="file" id="${ID.anyFiles}" multiple aria-describedby="${ID.anyFiles}-hint">
<span class="quiet" id="${ID.anyFiles}-hint">Each goes to the field of its kind. You can also drop files anywhere on this page, or paste them.</span></p>
${MAIN_FILES.map((field) => (field.name === "issuer" ? issuerField(field, content) : fileField(field)))}
<details id="${ID.more}">
<summary>More files and conditions</summary>
${MORE_FILES.map(fileField)}
${TEXTS.map(textField)}
<p><input type="checkbox" id="${ID.sandbox}"> <label for="${ID.sandbox}">It is a synthetic document of the sandbox</label> ${flag("--sandbox")}</p>
</details>
<p><button type="submit">Verify</button> <button type="reset">Clear</button></p>
<p id="${ID.state}" role="status"></p>
</form>
${result()}
<section aria-labelledby="keep">
<h2 id="keep">Keep this page</h2>
<p>The page is one file. Saved as HTML only, it works from a disk, without this server and without a network. <a id="${ID.save}" href="${content.baseUrl}/verify" download="verify.html">Save this page</a></p>
<p>A forged page can say anything: take it from a place that you trust, or use the <a href="${content.baseUrl}/docs/verify">command</a>, which prints the same words.</p>
</section>`
}

function flag(name: string): Html {
  return html`<code class="quiet" translate="no">${name}</code>`
}

function fileField(field: FileField): Html {
  return html`<fieldset>
<legend>${field.label}</legend>
${inputs(field)}
</fieldset>
`
}

function inputs({ name, label, flag: flagName, hint, takesText, takesSeveral }: FileField): Html {
  const hintId = `${fileId(name)}-hint`
  const several = takesSeveral ? html` multiple` : html``
  return html`<p class="quiet" id="${hintId}">${hint} ${flag(flagName)}</p>
${
  takesText
    ? html`<textarea id="${pasteId(name)}" rows="3" placeholder="Paste it here, or choose a file" spellcheck="false" autocomplete="off" aria-label="${label}, pasted" aria-describedby="${hintId}"></textarea>
`
    : html``
}<input type="file" id="${fileId(name)}"${several} aria-label="${label}, as a file" aria-describedby="${hintId}">`
}

function issuerField(field: FileField, { issuerName, jwks }: VerifyContent): Html {
  return html`<fieldset>
<legend>${field.label}</legend>
<p><input type="radio" name="keys" id="${ID.ownKeys}" checked> <label for="${ID.ownKeys}">Keys that I have</label></p>
${inputs(field)}
<p><input type="radio" name="keys" id="${ID.serverKeys}" aria-describedby="${ID.serverKeys}-hint"> <label for="${ID.serverKeys}">This server's word: the keys of ${issuerName} that came with this page</label></p>
<p class="quiet" id="${ID.serverKeys}-hint">They prove nothing about the server: whoever made this page could have made them too. They are as old as this page, and a key may have been revoked since.</p>
<details>
<summary>Show these keys</summary>
<pre id="${ID.serverJwks}" translate="no" role="region" aria-label="Keys that came with this page" tabindex="0">${jwks}</pre>
</details>
</fieldset>
`
}

function textField({ name, label, flag: flagName, hint, choices }: TextField): Html {
  const id = textId(name)
  const input =
    choices === undefined
      ? html`<input type="text" id="${id}" spellcheck="false" autocomplete="off" aria-describedby="${id}-hint">`
      : // A browser that translates the page must not change what is chosen here, nor the keys, nor what the command prints.
        html`<select id="${id}" translate="no" aria-describedby="${id}-hint"><option value="">none</option>${choices.map((choice) => html`<option value="${choice}">${choice}</option>`)}</select>`
  return html`<p><label for="${id}">${label}</label> ${flag(flagName)}
${input}
<span class="quiet" id="${id}-hint">${hint}</span></p>
`
}

function result(): Html {
  return html`<section id="${ID.result}" aria-labelledby="${ID.title}" hidden>
<div id="${ID.band}"><h2 id="${ID.title}"></h2></div>
<p id="${ID.advice}"></p>
<p class="quiet" id="${ID.time}"></p>
<div class="notice" id="${ID.serversWord}" role="note" hidden><p><strong>This is this server's word.</strong> The keys came with the page, and prove nothing about the server. Compare them with keys that you got by another way.</p></div>
<div id="${ID.case}"></div>
<h3>Why this page says so</h3>
<dl id="${ID.lines}"></dl>
<div id="${ID.checks}">
<h3>Each check</h3>
<table class="stacked" role="table" aria-label="Each check">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">Check</th><th scope="col" role="columnheader">Finding</th></tr></thead>
<tbody role="rowgroup" id="${ID.checkRows}"></tbody>
</table>
</div>
<details>
<summary>In the words of the command</summary>
<p class="quiet" id="${ID.command}"></p>
<pre id="${ID.text}" translate="no" role="region" aria-label="What the command prints" tabindex="0"></pre>
</details>
</section>
`
}
