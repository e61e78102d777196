/** Prints the Postman collection from the served rows: methods, paths, expected statuses and descriptions. */
import { type PostmanCollection, readPostmanCollection } from "../../../schemas/agent-id/postman.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { enrolmentExample } from "../../products/agent-id/enrolment-example.ts"
import type { ConstantRow, DocumentParts } from "../parts.ts"
import { enrolmentVariables, firstRun, secondRun } from "./enrolment-folders.ts"
import { PRODUCT_VARIABLES, productFolders } from "./product-folders.ts"
import { variable } from "./requests.ts"

export const POSTMAN_COLLECTION: ConstantRow = { operation: readPostmanCollection, print: postmanCollection }

function postmanCollection(parts: DocumentParts): PostmanCollection {
  const { name, promise, payload } = enrolmentExample(parts)
  return {
    info: {
      name,
      description: `${promise}\n\nFill operational_public_key and recovery_public_key (the x of two Ed25519 public JWKs) and run the collection: it asks for a challenge and prints what to sign. Sign on your own machine, fill the three signatures, and run it again within ten minutes. To start over, empty the signatures. Never put a private key here.\n\nEach product has a folder that reads its schema and its example and asks for a quote. Nothing here pays.`,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
      version: "1.0.0",
    },
    variable: [
      variable("base_url", "Address of the service", parts.baseUrl),
      ...enrolmentVariables(canonicalize(payload)),
      ...PRODUCT_VARIABLES,
    ],
    item: [firstRun(), secondRun(payload), ...productFolders(parts.operations)],
  }
}
