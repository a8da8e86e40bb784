/** The package has no types. */
declare module 'cluster-key-slot' {
  /** The cluster slot of a key, 0 to 16,383. */
  export default function slotOf(key: string): number
}
