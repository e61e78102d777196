/** In the client module in place of `core/base64url.ts`: the same without Buffer. */
import { decodeBase64url as decode, encodeBase64url as encode } from "../../../core/bytes.ts"

export const encodeBase64url: typeof encode = encode
export const decodeBase64url: typeof decode = decode
