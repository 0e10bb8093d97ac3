/** The differences between two texts, line by line. */
import type { ComparedText } from './code-mirror.ts';
import { CodeMirrorHost } from './code-mirror-host.tsx';

interface Props {
  /** What is compared. */
  readonly title: string;
  readonly left: ComparedText;
  readonly right: ComparedText;
}

export function TextComparison({ title, left, right }: Props) {
  const isSame = left.text === right.text;
  return (
    <section aria-label={title}>
      <h4>
        {title} {isSame && <span class="muted">identical</span>}
      </h4>
      {!isSame && (
        <>
          <p class="muted">
            − {left.title}, + {right.title}
          </p>
          <CodeMirrorHost
            text={right.text}
            inputs={[title, left.title, left.text, right.title, right.text]}
            create={({ createComparison }, parent) => createComparison(parent, { label: title, left, right })}
          />
        </>
      )}
    </section>
  );
}
