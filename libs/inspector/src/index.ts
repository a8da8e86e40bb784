/**
 * `@model-cache/inspector`: a page and a JSON API that show what the caches of all processes hold and do.
 *
 * @module @model-cache/inspector
 */
export { Inspector } from './inspector.js'
export { ModelCacheInspectorModule } from './inspector.module.js'
export type { InspectorMount, InspectorOptions } from './inspector.options.js'
export type { Actions, Show } from './inspection.js'
export { inspectorPageFiles, type PageFile } from './http/page-files.js'
export type * from './report.js'
export type * from './row-report.js'
