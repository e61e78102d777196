import { Type } from "@sinclair/typebox"
import { operation, PUBLIC_READ } from "../operation.ts"
import { documentReplies } from "./document-replies.ts"

/**
 * CHOICE: the media type is `application/json`. No media type of OpenAPI is registered, every client and browser reads JSON, and the first
 * member of the document names its format.
 */
export const getOpenapi = operation({
  ...PUBLIC_READ,
  id: "get_openapi",
  path: "/v1/openapi.json",
  summary: "This interface as an OpenAPI 3.1 document",
  responses: {
    200: {
      description: "OpenAPI document",
      schema: Type.Object(
        {
          openapi: Type.Literal("3.1.0"),
          info: Type.Object({ version: Type.Literal("3.0.0") }),
          paths: Type.Object({}),
        },
        { additionalProperties: true },
      ),
    },
    ...documentReplies,
  },
})

/** Printed for each minute. The signed manifest does not list it, because its digest would be that of one minute. */
export const getOpenapiExamples = operation({
  ...PUBLIC_READ,
  id: "get_openapi_examples",
  path: "/v1/openapi-examples.json",
  summary: "A complete body of every free operation that takes one, by operation id, with times of now",
  responses: {
    200: { description: "Bodies", schema: Type.Record(Type.String(), Type.Unknown(), { $id: "OpenapiExamples" }) },
    304: documentReplies[304],
  },
})
