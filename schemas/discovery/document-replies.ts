import { problem } from "../problem.ts"

/** Replies of every document that is printed with the signed manifest, besides the document. */
export const documentReplies = {
  304: { description: "Unchanged since the ETag sent" },
  503: problem("The signing key had expired before the documents were printed"),
} as const
