/** Token of the metrics of the event loop. */
export const EVENT_LOOP_METRICS = Symbol('EVENT_LOOP_METRICS')
