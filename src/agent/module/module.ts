/** Entry of the published module `client.mjs`: for `import` in a browser, Node, Bun or Deno. */

import { ClientError } from "./client-error.ts"
import { createClient } from "./create-client.ts"
import { createKeys, createOrganizationKey, signRequest, signVendorChange } from "./sign-locally.ts"
import { verifyDocument } from "./verify-document.ts"

export { ClientError, createClient, createKeys, createOrganizationKey, signRequest, signVendorChange, verifyDocument }
