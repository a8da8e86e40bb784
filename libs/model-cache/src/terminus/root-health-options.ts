export interface RootHealthOptions {
  /** Name of the root to check. @default the unnamed root */
  readonly root?: string
}
