/**
 * The API reference as HTML pages, printed from the served OpenAPI document. A viewer from elsewhere would need a Content Security Policy that
 * allows inline styles and scripts (rulings 88).
 */
import { dataTable } from "../data-table.ts"
import { type Html, html } from "../html.ts"
import { operationPath } from "../page-paths.ts"
import { type ApiContent, ApiDocument, type ApiRoute, type ApiSchema } from "./api-document.ts"
import { membersOf, referencesOf, schemaAnchor, typeOf } from "./api-schema.ts"

/** `text`: the OpenAPI document. */
export function readApi(text: string): ApiDocument {
  return new ApiDocument(JSON.parse(text))
}

export function apiIndex(api: ApiDocument): Html {
  return html`<h1>API reference</h1>
<p>Printed from the <a href="/v1/openapi.json">OpenAPI document</a> of this server. Every route has a page with its body and its responses.</p>
${api.groups.map(({ name, description }) => group(name, description, api))}`
}

function group(name: string, description: string, api: ApiDocument): Html {
  const rows = api.routes
    .filter(({ operation }) => operation.tags?.includes(name))
    .map(({ method, path, operation }) => [
      html`<a href="${operationPath(operation.operationId)}"><code>${method} ${path}</code></a>`,
      html`${operation.summary}`,
    ])
  return html`<h2>${name}</h2>
<p>${description}</p>
${dataTable(name, ["Route", "What it does"], rows)}
`
}

/** Null when the document has no such operation. */
export function apiOperation(api: ApiDocument, operationId: string): Html | null {
  const route = api.find(operationId)
  if (route === undefined) return null
  const { method, path, operation } = route
  const schemas = schemasOf(api, route)
  return html`<p class="quiet"><code>${operationId}</code></p>
<h1>${operation.summary}</h1>
<code class="call">${method} ${path}</code>
${facts(route)}
${parameters(api, route)}
${body(api, route)}
${responses(api, route)}
${schemas.length === 0 ? html`` : html`<h2>Schemas</h2>`}
${schemas.map((name) => namedSchema(name, api.schema(name)))}
<p><a href="/docs/api">All routes</a></p>`
}

interface Charge {
  readonly amount: string
  readonly asset: string
  readonly network: string
}

function facts({ operation }: ApiRoute): Html {
  const charge = operation["x-charge"] as Charge | undefined
  const rows: readonly (readonly [words: string, value: unknown])[] = [
    ["Price", charge ? `${charge.amount} ${charge.asset} on ${charge.network}` : "free"],
    ["Authentication", operation["x-authentication"] ?? "none"],
    ["Coverage", operation["x-coverage"]],
    ["Lifecycle", operation["x-agent-mode-lifecycle"]],
  ]
  return html`<dl>${rows.flatMap(([words, value]) =>
    value === undefined
      ? []
      : [
          html`<div><dt>${words}</dt><dd><code>${String(value)}</code></dd></div>
`,
        ],
  )}</dl>`
}

function parameters(api: ApiDocument, { operation }: ApiRoute): Html {
  const given = (operation.parameters ?? []).map((parameter) => api.parameter(parameter))
  if (given.length === 0) return html``
  const rows = given.map(({ name = "", in: place = "", required = false, description = "", schema = {} }) => [
    html`<code>${name}</code>`,
    html`${place}${required ? ", required" : ""}`,
    typeOf(schema),
    html`${description}`,
  ])
  return html`<h2>Parameters</h2>
${dataTable("Parameters", ["Name", "Where", "Type", "Meaning"], rows)}`
}

function body(api: ApiDocument, { operation, path }: ApiRoute): Html {
  if (!operation.requestBody) return html``
  const { content = {}, "x-body-bytes-max": bytes } = operation.requestBody
  const own = `${path}/example`
  const hasOwn = api.routes.some((route) => route.path === own)
  return html`<h2>Body</h2>
${Object.entries(content).map(
  ([mediaType, { schema }]) => html`<p><code>${mediaType}</code></p>
${schema ? schemaTable("Body", schema) : html``}
`,
)}
${bytes === undefined ? html`` : html`<p>At most ${bytes.toLocaleString("en-US")} bytes.</p>`}
${hasOwn ? html`<p><a href="${own}">A complete example</a></p>` : html`<p><a href="/v1/openapi-examples.json">Complete examples of every body</a></p>`}`
}

function responses(api: ApiDocument, { operation }: ApiRoute): Html {
  const rows = Object.entries(operation.responses).map(([status, given]) => {
    const { description = "", content = {} } = api.response(given)
    return [html`<code>${status}</code>`, html`${description}`, mediaTypes(content)]
  })
  return html`<h2>Responses</h2>
${dataTable("Responses", ["Status", "Meaning", "Content"], rows)}
<p><a href="/docs/reference/errors">All error codes</a></p>`
}

function mediaTypes(content: ApiContent): Html {
  const entries = Object.entries(content)
  if (entries.length === 0) return html`none`
  return html`${entries.map(
    ([mediaType, { schema }]) => html`<code>${mediaType}</code>${schema ? html` ${typeOf(schema)}` : html``}<br>`,
  )}`
}

/** A schema without members, such as a reference, is one line. */
function schemaTable(name: string, schema: ApiSchema): Html {
  const rows = membersOf(schema)
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`
  return dataTable(
    `Members of ${name}`,
    ["Member", "Type", "Meaning"],
    rows.map(({ name: member, isRequired, type, description }) => [
      html`<code>${member}</code>${isRequired ? html`` : html`<br><span class="quiet">optional</span>`}`,
      type,
      html`${description}`,
    ]),
  )
}

function namedSchema(name: string, schema: ApiSchema): Html {
  return html`<h3 id="${schemaAnchor(name)}">${name}</h3>
${schema.description === undefined ? html`` : html`<p>${schema.description}</p>`}
${schemaTable(name, schema)}
`
}

/** Names of the schemas that a route refers to, each once, in the order of the page. */
function schemasOf(api: ApiDocument, { operation }: ApiRoute): readonly string[] {
  const find = (name: string) => api.schema(name)
  const contents = [
    ...(operation.parameters ?? []).map((parameter) => ({ schema: api.parameter(parameter).schema ?? {} })),
    ...(operation.requestBody ? Object.values(operation.requestBody.content ?? {}) : []),
    ...Object.values(operation.responses).flatMap((response) => Object.values(api.response(response).content ?? {})),
  ]
  return [...new Set(contents.flatMap(({ schema = {} }) => referencesOf(schema, find)))]
}
