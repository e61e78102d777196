/** Members that only a private or symmetric JWK has (RFC 7518 section 6, RFC 8037). A body with one of them is rejected unread. */
export const PRIVATE_MEMBERS = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"] as const

export function hasPrivateMaterial(jwk: object): boolean {
  return PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))
}
