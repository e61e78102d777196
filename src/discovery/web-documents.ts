import { LLMS_TEXT } from "./llms-text.ts"
import type { ConstantRow } from "./parts.ts"
import { POSTMAN_COLLECTION } from "./postman/collection.ts"
import { ROBOTS_TEXT } from "./robots-text.ts"

/** The documents for readers that are no agents of a protocol: text models, crawlers and people with Postman. */
export const WEB_DOCUMENTS: readonly ConstantRow[] = [LLMS_TEXT, ROBOTS_TEXT, POSTMAN_COLLECTION]
