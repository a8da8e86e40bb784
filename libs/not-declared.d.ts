// A package imports another one of ours only if its package.json and its tsconfig.lib.json name it. The compiler finds this file for all
// others, and says that it is not a module.
declare const notDeclared: never
