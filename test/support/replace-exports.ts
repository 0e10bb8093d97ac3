import { type Mock, onTestFinished, vi } from 'vitest';

/**
 * Replaces functions of a module until the end of the test, for modules that import them. Unlike `vi.mock`, it works for loaded modules, so
 * that test files can share these. Calls inside the module, and functions that others have stored, stay as they are.
 */
export function replaceExports<Module extends object>(module: Module, replacements: Partial<Module>): void {
  for (const [name, replacement] of Object.entries(replacements)) {
    const spy: Mock = vi.spyOn(module as Record<string, () => unknown>, name);
    spy.mockImplementation(replacement as () => unknown);
    onTestFinished(() => void spy.mockRestore());
  }
}
