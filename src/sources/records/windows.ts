/** How old a list or register may be, and how often its publisher is asked. */
export interface Windows {
  readonly freshSeconds: number
  readonly staleSeconds: number
  readonly pollSeconds: number
}

/** A list has two ages: the time since its publisher was asked, and the time since its content was published. */
export interface ListWindows extends Windows {
  readonly content: ContentLimit
}

export interface ContentLimit {
  /** The list is STALE from this age of its content. */
  readonly staleSeconds: number
  /** The limit does not apply while the publisher's own host confirmed the bytes within the retrieval window. */
  readonly unlessConfirmed: boolean
}
