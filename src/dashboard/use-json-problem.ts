import { useEffect, useState } from 'preact/hooks';
import { findJsonProblem, type JsonProblem } from './json-problem.ts';

/**
 * The problem of a text while the user edits it. A change is checked after the next frame, because the check of a long text
 * would delay the typed character.
 */
export function useJsonProblem(text: string): JsonProblem | null {
  const [problem, setProblem] = useState(() => findJsonProblem(text));
  useEffect(() => setProblem(findJsonProblem(text)), [text]);
  return problem;
}
