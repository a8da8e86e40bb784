export interface RootHealthOptions {
  /** The name of the root that is asked about. @default the unnamed one */
  readonly root?: string
}
