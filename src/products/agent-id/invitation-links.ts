interface InvitationLinks {
  /** The page for a person. */
  readonly uri: string
  /** The same invitation as JSON, for an agent. */
  readonly bootstrapUri: string
}

/** `baseUrl` is the service's public origin. */
export function invitationLinks(baseUrl: string, reference: string): InvitationLinks {
  const uri = `${baseUrl}/v1/agent-id/invitations/${reference}`
  return { uri, bootstrapUri: `${uri}/bootstrap` }
}
