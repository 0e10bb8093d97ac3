import { type Mock, onTestFinished, vi } from 'vitest';

/**
 * Replaces functions of a module until the end of the test, also for the modules that import them. Unlike `vi.mock`, it works for modules
 * that are loaded, so that test files can share them.
 */
export function replaceExports<Module extends object>(module: Module, replacements: Partial<Module>): void {
  for (const [name, replacement] of Object.entries(replacements)) {
    const spy: Mock = vi.spyOn(module as Record<string, () => unknown>, name);
    spy.mockImplementation(replacement as () => unknown);
    onTestFinished(() => void spy.mockRestore());
  }
}
