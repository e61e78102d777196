/**
 * A delivered answer of the answer products as a page, for whoever has its execution id. The id is the whole right to read it, so nothing keeps
 * or logs it, and everything else gets one and the same 404 (rulings 84).
 */

import { readDeliveryPage } from "../../schemas/pages.ts"
import { ServiceError } from "../base/errors.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import { type JsonValue, readJson } from "../core/strict-json.ts"
import type { Call, Reply } from "../http/call.ts"
import { serve } from "../http/serve.ts"
import type { Store } from "../store/engine/unit.ts"
import { findAcquired } from "../store/sales/acquired.ts"
import { html } from "./html.ts"
import { pageLayout } from "./layout.ts"
import { PRIVATE_PAGE_FIELDS } from "./page-headers.ts"
import type { PageParts } from "./page-route.ts"
import { refusalPages } from "./refusal-page.ts"

interface DeliveryPageParts extends PageParts {
  readonly store: Store
  readonly environment: string
  /** Path of the JSON of an answer, by its product: a template with `{executionId}`. */
  readonly jsonPaths: ReadonlyMap<string, string>
}

function jsonOf(text: string): JsonValue {
  return readJson(new TextEncoder().encode(text))
}

/** They load with the first request for a page. */
const modules = atFirstUse(() => Promise.all([import("./views/answer-view.ts"), import("./document-page.ts")]))

const EXECUTION_ID = /^exe_[A-Za-z0-9_-]{22}$/

export function deliveryRoute({ shell, site, store, environment, jsonPaths }: DeliveryPageParts) {
  const frame = pageLayout(site)

  async function reply({ params, at }: Call<null>): Promise<Reply> {
    const id = params["executionId"] ?? ""
    const found = EXECUTION_ID.test(id) ? await store.read(() => findAcquired(id)) : null
    const template = found && jsonPaths.get(found.product)
    if (!found || template === undefined || template === null)
      throw new ServiceError("EXECUTION_NOT_FOUND", "No delivered answer has this id.")
    const [{ deliveredView }, { documentPage }] = await modules()
    const view = deliveredView({
      answer: jsonOf(found.body),
      request: jsonOf(found.requestJson),
      facts: jsonOf(found.factsJson),
      environment,
    })
    const path = template.replace("{executionId}", id)
    const note = html`<p>This page shows what was delivered. It is no proof: download the <a href="${path}">answer as JSON</a> and its <a href="${path}/proof">signed capsule</a>, and verify both without this server. Whoever has this address can read this page.</p>`
    const authenticity = { state: "ISSUED", now: at } as const
    const main = documentPage(view, { title: "Delivered answer", hasLinks: true, note, authenticity })
    const json = { path, title: "The answer as JSON" }
    return { status: 200, body: frame({ title: "Delivered answer", json, main }), headers: PRIVATE_PAGE_FIELDS }
  }

  return serve(shell, readDeliveryPage, reply, { refusal: refusalPages(site) })
}
