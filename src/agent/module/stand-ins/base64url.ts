/** In the client module in place of `core/base64url.ts`: the same without Buffer. */
import { decodeBase64url as decode } from "../../../core/bytes.ts"
import { encodeBase64url as encode } from "../../../offline/portable/encoding.ts"

export const encodeBase64url: typeof encode = encode
export const decodeBase64url: typeof decode = decode
