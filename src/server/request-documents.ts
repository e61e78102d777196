/** Schema and example of every paid product's body, made from the list of products. */
import { heldOnFirstRequest } from "../http/conditional.ts"
import { heldExample, heldSchema, type RequestDocument } from "../http/request-documents.ts"
import type { Route } from "../http/route.ts"
import { serve } from "../http/serve.ts"
import type { Shell } from "../http/shell.ts"
import { PUBLISHED_EXAMPLE } from "../products/common/example-call.ts"
import { PRODUCTS } from "../products/products.ts"
import { exampleAgent, exampleMandateSigner } from "../products/us/example-signers.ts"

/** `baseUrl` is the audience in the signed examples. */
export function requestDocuments(baseUrl: string): readonly RequestDocument[] {
  const parts = {
    call: PUBLISHED_EXAMPLE,
    agent: exampleAgent,
    mandate: exampleMandateSigner,
    audience: baseUrl,
    companyNumber: undefined,
  }
  return PRODUCTS.map(({ id, paid, isSigned, documents, example }) => ({
    product: id,
    request: paid.body,
    signed: isSigned,
    operations: documents,
    example: () => example(parts),
  }))
}

export function requestDocumentRoutes(shell: Shell): readonly Route[] {
  return requestDocuments(shell.baseUrl()).flatMap((document) => {
    const schema = heldOnFirstRequest(() => heldSchema(document))
    const example = heldOnFirstRequest(() => heldExample(document))
    return [
      serve(shell, document.operations.schema, ({ headers }) => schema(headers)),
      serve(shell, document.operations.example, ({ headers }) => example(headers)),
    ]
  })
}
