/** The key of which one process is the leader, of all that follow for a namespace of a store. @param storeId the epoch of its catalogue */
export const leaderKey = (namespace: string, storeId: string): string => `${namespace}:${storeId}`
