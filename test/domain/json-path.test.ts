import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import {
  applyJsonEdits,
  formatPath,
  type JsonEdit,
  type PathStep,
  parseAssignment,
  parsePath,
} from '../../src/domain/json-path.ts';

const order =
  '{ "id": "ord_1", "total": 12.50, "items": [{ "sku": "A", "n": 1e400 }, { "sku": "B" }], "note": null }';
const add = (path: string, value: string): JsonEdit => ({ kind: 'add', path, value });
const override = (path: string, value: string): JsonEdit => ({ kind: 'override', path, value });
const remove = (path: string): JsonEdit => ({ kind: 'remove', path });

describe('applyJsonEdits', () => {
  it.each<[string, JsonEdit, string]>([
    ['overrides a field', override('total', '9.90'), '"total":9.90'],
    ['overrides null', override('note', '"x"'), '"note":"x"'],
    ['overrides inside a list', override('items[1].sku', '"C"'), '{"sku":"C"}]'],
    ['overrides the first item', override('items[0]', '0'), '"items":[0,{"sku":"B"}]'],
    ['overrides the last item', override('items[-1]', '0'), '"n":1e400},0],'],
    ['overrides a whole list', override('items', '[ 1.0, {} ]'), '"items":[1.0,{}]'],
    ['adds a field', add('gift', 'true'), '"note":null,"gift":true'],
    ['adds the next item of a list', add('items[2]', '{"sku":"C"}'), '{"sku":"B"},{"sku":"C"}]'],
    ['adds the parents of the path', add('to.lines[0].text', '"Hi"'), '"to":{"lines":[{"text":"Hi"}]}'],
    ['adds a field named like a prototype', add('__proto__.x', '1'), '"__proto__":{"x":1}'],
    ['counts from the end', override('items[-1].sku', '"C"'), '{"sku":"C"}]'],
    ['appends an item', add('items[].sku', '"C"'), '{"sku":"B"},{"sku":"C"}]'],
    ['begins a list', add('tags[]', '"new"'), '"tags":["new"]'],
    ['adds a field with a dot', add('meta["a.b"]', '1'), '"meta":{"a.b":1}'],
    ['adds a field in quotes at the top', add('["x y"].z', '1'), '"x y":{"z":1}'],
    ['removes the last item', remove('items[-1]'), '"items":[{"sku":"A","n":1e400}]'],
    ['removes a field', remove('note'), '{"sku":"B"}]}'],
    ['removes an item of a list', remove('items[0]'), '"items":[{"sku":"B"}]'],
  ])('applyJsonEdits %s', (_, change, expected) => {
    expect(applyJsonEdits(order, [change])).toContain(expected);
  });

  it('applyJsonEdits keeps the text of everything that it does not change', () => {
    expect(applyJsonEdits(order, [override('id', '"ord_2"'), remove('note')])).toBe(
      '{"id":"ord_2","total":12.50,"items":[{"sku":"A","n":1e400},{"sku":"B"}]}',
    );
  });

  it('applyJsonEdits makes changes in order', () => {
    expect(applyJsonEdits('{}', [add('a', '1'), override('a', '2'), add('b', '3'), remove('a')])).toBe(
      '{"b":3}',
    );
  });

  it('applyJsonEdits prints any document as JSON.stringify does when nothing changes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
        const text = JSON.stringify(document);
        expect(applyJsonEdits(JSON.stringify(JSON.parse(text), null, 2), [])).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });

  it.each<[JsonEdit, RegExp]>([
    [override('totl', '1'), /^totl.* does not exist\./],
    [override('items[2].sku', '1'), /^items\[2\]\.sku.* does not exist\./],
    [remove('items[0].x'), /^items\[0\]\.x.* does not exist\./],
    [remove('items.length'), /^items\.length.* does not exist\./],
    [override('items[-3].sku', '1'), /^items\[-3\].* does not exist\./],
    [remove('items[]'), /^items\[\].* does not exist\./],
    [add('items[-1]', '1'), /^items\[-1\] already exists/],
    [add('total', '1'), /^total already exists/],
    [add('items[5]', '1'), /Nothing can be added at items\[5\]/],
    [add('items.sku', '1'), /Nothing can be added at items\.sku/],
    [add('items.2', '1'), /Nothing can be added at items\.2/],
    [add('items[-3]', '1'), /Nothing can be added at items\[-3\]/],
    [add('items[0][0]', '1'), /Nothing can be added at items\[0\]\[0\]/],
    [add('tags[1]', '1'), /Nothing can be added at tags\[1\]/],
    [add('total.amount', '1'), /Nothing can be added at total\.amount/],
    ...[
      '',
      '.',
      '.a',
      'a.',
      'a..b',
      'a[b]',
      'a[',
      'a]',
      '[0]',
      'a[-]',
      'a[x]',
      "a['b']",
      'a["b]',
      'a["\\x"]',
    ].map((path): [JsonEdit, RegExp] => [add(path, '1'), /is not a valid path/]),
  ])('applyJsonEdits refuses %j', (change, message) => {
    expect(() => applyJsonEdits(order, [change])).toThrow(SvcError);
    expect(() => applyJsonEdits(order, [change])).toThrow(message);
  });

  it.each([
    [order, 'items[0].skuu', 'Did you mean items[0].sku?'],
    [order, 'items.0.sku', 'Did you mean items[0].sku?'],
    ['{"a":{"x":1},"b":[2]}', 'payload.customer', 'The payload has: a, a.x, b, b[0].'],
    ['{}', 'a', 'The payload has: nothing yet.'],
  ])('the hint for %s and the path %s says what exists instead', (text, path, hint) => {
    expect(() => applyJsonEdits(text, [remove(path)])).toThrow(
      expect.objectContaining({ hint: { text: hint } }),
    );
  });

  it('the hint names the kind of edit that would work', () => {
    const hint = (text: string | RegExp) =>
      expect.objectContaining({ hint: { text: expect.stringMatching(text) } });
    expect(() => applyJsonEdits(order, [override('gift', 'true')])).toThrow(
      hint(/To add a new value, use add instead of override\.$/),
    );
    expect(() => applyJsonEdits(order, [add('total', '1')])).toThrow(
      hint('To change it, use override instead of add.'),
    );
  });

  it('the hint suggests a name with a dot in quotes', () => {
    const change = () => applyJsonEdits('{"meta":{"a.b":1}}', [remove('meta["a,b"]')]);
    expect(change).toThrow(expect.objectContaining({ hint: { text: 'Did you mean meta["a.b"]?' } }));
  });
});

it('parsePath reads the path that formatPath writes for any steps', () => {
  const step = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
  fc.assert(
    fc.property(fc.string(), fc.array(step, { maxLength: 4 }), (name, others) => {
      const steps: PathStep[] = [name, ...others];
      expect(parsePath(formatPath(steps))).toEqual(steps);
    }),
  );
});

describe('parseAssignment', () => {
  it.each([
    ['total=12.50', 'total', '12.50'],
    ['gift=true', 'gift', 'true'],
    ['code="12"', 'code', '"12"'],
    ['name=Zoë "Z" Nuñez', 'name', '"Zoë \\"Z\\" Nuñez"'],
    ['a.b[0]=x=y', 'a.b[0]', '"x=y"'],
    ['note=', 'note', '""'],
    ['to={"city":"Berlin"}', 'to', '{"city":"Berlin"}'],
    ['meta["a=b"].c=1', 'meta["a=b"].c', '1'],
    ['items[]=null', 'items[]', 'null'],
    ['zip=01099', 'zip', '"01099"'],
    ['id=ord_{{uuid}}', 'id', '"ord_{{uuid}}"'],
    ['id={{uuid}}', 'id', '"{{uuid}}"'],
    ['text=a\nb', 'text', '"a\\nb"'],
  ])('parseAssignment reads %s', (text, path, value) => {
    expect(parseAssignment(text)).toEqual({ path, value });
  });

  it.each(['total', '=1', ''])('parseAssignment refuses %j', (text) => {
    expect(() => parseAssignment(text)).toThrow(/does not have the form path=value/);
  });

  it.each(['to={city:Berlin}', 'items[]=[a]', 'name="Zoë'])(
    'parseAssignment refuses %s, which has lost its quotes',
    (text) => {
      expect(() => parseAssignment(text)).toThrow(/starts like JSON but is not valid JSON/);
    },
  );
});
