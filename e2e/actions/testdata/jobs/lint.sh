echo linted
