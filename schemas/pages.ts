/**
 * Pages for people. Machines do not need them, so no document for machines lists them: each page names the JSON with the same content.
 */
import { Type } from "@sinclair/typebox"
import { operation, PUBLIC_READ } from "./operation.ts"
import { problem } from "./problem.ts"
import { HTML } from "./response.ts"

const PAGE = { ...PUBLIC_READ, cors: "NONE", audience: "PEOPLE" } as const
const unchanged = { description: "Unchanged since the ETag sent" }
/** Name of a page: the name of its file without the ending. */
const PageName = Type.String({ pattern: "^[a-z][a-z-]{0,39}$" })
const Code = Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,63}$" })

export const readStatusPage = operation({
  ...PAGE,
  id: "read_status_page",
  path: "/status",
  summary: "What is sold now, the age of every source, payments, the log, and what is switched on",
  responses: { 200: { description: "Page", mediaType: HTML } },
})

export const readVerifyPage = operation({
  ...PAGE,
  id: "read_verify_page",
  path: "/verify",
  summary: "Verifies a document in the browser, which sends nothing; one file that works when it is saved",
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged },
})

export const readDocsIndex = operation({
  ...PAGE,
  id: "read_docs_index",
  path: "/docs",
  summary: "All pages of the documentation",
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged },
})

export const readDocsPage = operation({
  ...PAGE,
  id: "read_docs_page",
  path: "/docs/{page}",
  summary: "One page of the documentation",
  parameters: { page: PageName },
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged, 404: problem("No page has this name") },
})

export const readReferencePage = operation({
  ...PAGE,
  id: "read_reference_page",
  path: "/docs/reference/{page}",
  summary: "One page of the reference that is printed from the code",
  parameters: { page: PageName },
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged, 404: problem("No page has this name") },
})

export const readApiIndex = operation({
  ...PAGE,
  id: "read_api_index",
  path: "/docs/api",
  summary: "Every route of the HTTP interface, from the OpenAPI document",
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged },
})

export const readApiOperation = operation({
  ...PAGE,
  id: "read_api_operation",
  path: "/docs/api/{operationId}",
  summary: "One route: its body, its parameters and its responses, from the OpenAPI document",
  parameters: { operationId: Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]{1,79}$" }) },
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged, 404: problem("No route has this id") },
})

export const readReasonIndex = operation({
  ...PAGE,
  id: "read_reason_index",
  path: "/docs/reasons",
  summary: "Every reason code of an answer",
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged },
})

export const readReasonPage = operation({
  ...PAGE,
  id: "read_reason_page",
  path: "/docs/reasons/{code}",
  summary: "What one reason code means in each product, and what to do about it",
  parameters: { code: Code },
  responses: { 200: { description: "Page", mediaType: HTML }, 304: unchanged, 404: problem("No reason has this code") },
})

export const readDeliveryPage = operation({
  ...PAGE,
  authentication: "EXECUTION_ID",
  id: "read_delivery_page",
  path: "/deliveries/{executionId}",
  summary: "A delivered answer of the eight products for a person: decision, what to do, reasons, evidence",
  parameters: { executionId: Type.String({ pattern: "^exe_[A-Za-z0-9_-]{22}$" }) },
  responses: { 200: { description: "Page", mediaType: HTML }, 404: problem("No delivered answer has this id") },
  rateLimit: { group: "executions", perMinute: 60 },
})

export const readFavicon = operation({
  ...PAGE,
  cors: "PUBLIC",
  id: "read_favicon",
  path: "/favicon.ico",
  summary: "The usual place of an icon; redirects to the mark",
  responses: { 308: { description: "Location names the mark" } },
})
